import type { Caller } from '@tradepost/domain/accounts/account';
import { type LeasedDelivery, newDelivery } from '@tradepost/domain/deliveries/delivery';
import { replayDelivery } from '@tradepost/domain/deliveries/logged-delivery';
import { createTestEvent } from '@tradepost/domain/events/test-event';
import { aContext, noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store';
import { enqueueDelivery } from '../../helpers/enqueue';
import { aResult, deliveredResult, failedResult, leaseDue, leaseOne } from '../../helpers/leasing';
import { Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

/** The numbers of events in the log of an account, by the ID of the event. */
async function readNumbers(store: Store, { accountId }: Caller): Promise<Record<string, number>> {
  const log = await store.events.readEvents(accountId, 0, 10_000);
  return Object.fromEntries(log.map(({ id, seq }) => [id, seq]));
}

/** Where the events of deliveries are: in the account's log, and in the history of their order. */
export function describePositions(underTest: StoreUnderTest): void {
  describe('a leased delivery', () => {
    test('has the number of its event in the log of the account, and the version of the order', async () => {
      const trade = await Trade.open(underTest.current, { lowThreshold: 995 });
      const { store, buyer, seller } = trade;
      const ofBuyer = await trade.subscribe(buyer, ['order.created', 'order.status_changed']);
      const all = ['order.created', 'task.approval_requested', 'listing.availability_low'] as const;
      await trade.subscribe(seller, [...all, 'order.status_changed', 'task.completed']);
      const order = await trade.place({ quantity: 10 });
      await trade.move(order, 'confirmed', noon + 1);
      await trade.move(order, 'fulfilling', noon + 2);
      const leased: LeasedDelivery[] = [];
      // A new endpoint gets a few at once.
      for (let due = await leaseDue(store, noon + 2); due.length > 0; ) {
        leased.push(...due);
        const results = due.map((delivery) => deliveredResult(delivery, noon + 2));
        await store.deliveries.recordAttempts(results, noon + 20);
        due = await leaseDue(store, noon + 20);
      }
      const found = leased.map(({ body, orderVersion }) => [JSON.parse(body).event, orderVersion]);
      expect(found.sort()).toEqual([
        ['listing.availability_low', null],
        ['order.created', 1],
        ['order.created', 1],
        ['order.status_changed', 2],
        ['order.status_changed', 2],
        ['order.status_changed', 3],
        ['order.status_changed', 3],
        ['task.approval_requested', 1],
        ['task.completed', 2],
      ]);
      const bySeller = await readNumbers(store, seller);
      const byBuyer = await readNumbers(store, buyer);
      for (const { webhookId, eventId, sequence } of leased) {
        expect(sequence).toBe((webhookId === ofBuyer.id ? byBuyer : bySeller)[eventId]);
      }
    });

    test('has the same position in each attempt and after a replay', async () => {
      const trade = await Trade.open(underTest.current);
      const { store, buyer } = trade;
      await trade.subscribe(buyer, ['order.created']);
      await trade.place();
      const first = await leaseOne(store, noon);
      const position = { orderVersion: 1, sequence: expect.any(Number) };
      expect(first).toMatchObject(position);
      await store.deliveries.recordAttempts([failedResult(first, noon + 100)], noon + 20);
      // Others get numbers meanwhile.
      await trade.place({ now: noon + 50 });
      await readNumbers(store, buyer);
      const again = (await leaseDue(store, noon + 100)).find(({ id }) => id === first.id);
      expect(again?.sequence).toBe(first.sequence);
      if (again === undefined) throw new Error('it must be due again');
      await store.deliveries.recordAttempts([aResult(again)], noon + 120);
      const { accountId } = buyer;
      const request = {
        accountId,
        ids: [first.id],
        idempotencyKey: null,
        context: aContext(noon + 200),
      };
      await store.deliveryLog.replayDeliveries(request, (found) => ({
        deliveries: found.map((one) => replayDelivery(one, noon + 200)),
        response: { status: 202, headers: {}, body: null },
      }));
      expect(await leaseOne(store, noon + 200)).toMatchObject({
        id: first.id,
        sequence: first.sequence,
        orderVersion: 1,
      });
    });

    test('of a test event has no position', async () => {
      const trade = await Trade.open(underTest.current);
      const { accountId, id } = await trade.subscribe(trade.buyer, ['order.created']);
      const context = aContext();
      const request = { accountId, webhookId: id, idempotencyKey: null, context };
      await trade.store.deliveryLog.enqueueTestDelivery(request, () => {
        const event = createTestEvent('order.status_changed', context);
        const delivery = { ...newDelivery(event, id, context), test: true };
        return { event, delivery, response: { status: 202, headers: {}, body: {} } };
      });
      const none = { test: true, sequence: null, orderVersion: null };
      expect(await leaseOne(trade.store, noon)).toMatchObject(none);
    });

    test('has a number above all before it, also of an account with a long log that no one has read', async () => {
      const trade = await Trade.open(underTest.current);
      const { store, buyer } = trade;
      const { accountId } = buyer;
      const earlier = await enqueueDelivery(trade, { accountId, count: 2_300 });
      await trade.subscribe(buyer, ['order.created']);
      const [eventId = ''] = await enqueueDelivery(trade, { accountId });
      const leased = await leaseOne(store, noon);
      const numbers = await readNumbers(store, buyer);
      expect(leased).toMatchObject({ eventId, sequence: numbers[eventId] });
      const before = earlier.map((id) => numbers[id] ?? Number.NaN);
      expect(before).toEqual(before.toSorted((one, other) => one - other));
      expect(Math.max(...before)).toBeLessThan(leased.sequence ?? 0);
    });
  });
}
