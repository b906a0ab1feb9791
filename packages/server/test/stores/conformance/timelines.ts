import { timelineLimits } from '@tradepost/contract';
import type { Caller } from '@tradepost/domain/accounts/account';
import { toTimelineResponse } from '@tradepost/domain/orders/order-timeline';
import { anAttempt, noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store';
import { aResult, failedResult, leaseDue } from '../../helpers/leasing';
import { addCaller, Trade } from '../../helpers/trade';
import { pruneBefore } from './pruned-logs';
import type { StoreUnderTest } from './store-under-test';

const day = 24 * 60 * 60 * 1000;

/** What happened to an order, as accounts may see it. */
export function describeTimelines(underTest: StoreUnderTest): void {
  describe('the timeline of an order', () => {
    async function read(store: Store, { accountId }: Caller, id: string, now = noon) {
      const past = await store.timelines.readPast(accountId, id, timelineLimits);
      if (past === null) throw new Error(`There is no order ${id}.`);
      return toTimelineResponse(past, now);
    }

    test('has each event with its change, its actor, the notification and the deliveries of the account', async () => {
      const trade = await Trade.open(underTest.current, { lowThreshold: 995 });
      const { store, buyer, seller } = trade;
      const webhook = await trade.subscribe(buyer, ['order.created', 'order.status_changed']);
      await trade.subscribe(seller, ['order.created']);
      const order = await trade.place({ quantity: 10 });
      await trade.place({ quantity: 1 });
      await trade.move(order, 'confirmed', noon + 1_000);
      const all = { after: null, limit: 100 };
      const [newest] = await store.notifications.listNotifications(buyer.accountId, {}, all);
      await store.notifications.markRead(buyer.accountId, newest?.id ?? '');

      const { entries, prunedBefore } = await read(store, buyer, order.id);
      expect(prunedBefore).toBeNull();
      const buyerActor = { accountId: buyer.accountId, kind: 'buyer' };
      const sellerActor = { accountId: seller.accountId, kind: 'seller' };
      expect(entries.map(({ change, event }) => [event.type, change])).toEqual([
        ['order.created', { from: null, to: 'pending', reason: null, actor: buyerActor }],
        ['task.approval_requested', null],
        [
          'order.status_changed',
          { from: 'pending', to: 'confirmed', reason: null, actor: sellerActor },
        ],
        ['task.completed', null],
      ]);
      expect(entries.map(({ notification }) => notification?.read)).toEqual([
        false,
        false,
        false,
        true,
      ]);
      expect(entries.map(({ deliveries }) => deliveries.map((one) => one.webhookId))).toEqual([
        [webhook.id],
        [],
        [webhook.id],
        [],
      ]);
      const log = await store.events.readEvents(buyer.accountId, 0, 100, order.id);
      expect(entries.map(({ event }) => event.id)).toEqual(log.map(({ id }) => id));
      expect((await read(store, buyer, order.id)).entries).toEqual(entries);
      const ofSeller = await read(store, seller, order.id);
      expect(ofSeller.entries.map(({ event }) => event.type)).toContain('listing.availability_low');
    });

    test('has the last attempts of a delivery that was replayed, and what the delivery log says of it', async () => {
      const trade = await Trade.open(underTest.current);
      const { store, buyer } = trade;
      await trade.subscribe(buyer, ['order.created']);
      const order = await trade.place();
      const { attempts: most } = timelineLimits;
      for (let number = 1; number <= most + 2; number += 1) {
        const [leased] = await leaseDue(store, noon + number);
        if (leased === undefined) throw new Error('it is due');
        const isLast = number === most + 2;
        const attempt = anAttempt({ startedAt: noon + number, status: null, error: 'timeout' });
        const result = isLast
          ? aResult(leased)
          : { ...failedResult(leased, noon + number + 1), attempt };
        await store.deliveries.recordAttempts([result], noon + number);
      }
      const { entries } = await read(store, buyer, order.id);
      const [delivery] = entries[0]?.deliveries ?? [];
      expect(delivery?.attempts.map(({ number }) => number)).toEqual(
        Array.from({ length: most }, (_, index) => index + 3),
      );
      expect(delivery?.attempts.at(0)).toEqual({
        number: 3,
        startedAt: new Date(noon + 3).toISOString(),
        durationMs: 12,
        status: null,
        error: 'timeout',
      });
      expect(delivery).toMatchObject({ state: 'delivered', attemptCount: most + 2 });
      const page = { after: null, limit: 10 };
      const [logged] = await store.deliveryLog.listDeliveries(buyer.accountId, {}, page);
      expect(delivery).toMatchObject({ id: logged?.id, orderId: order.id, lastStatus: 200 });
    });

    test('leaves out deleted webhooks, and has nothing of other accounts', async () => {
      const trade = await Trade.open(underTest.current);
      const { store, buyer } = trade;
      const deleted = await trade.subscribe(buyer, ['order.created']);
      const order = await trade.place();
      await store.webhooks.deleteWebhook(buyer.accountId, deleted.id, noon);
      const { entries } = await read(store, buyer, order.id);
      expect(entries.flatMap(({ deliveries }) => deliveries)).toEqual([]);
      const stranger = await addCaller(store, 'buyer');
      expect((await read(store, stranger, order.id)).entries).toEqual([]);
      expect(await store.timelines.readPast(buyer.accountId, 'ord_x', timelineLimits)).toBeNull();
    });

    test('says from when on it is complete after events were removed', async () => {
      const trade = await Trade.open(underTest.current, { agentId: null });
      const { store, buyer } = trade;
      const order = await trade.place({ now: noon });
      await trade.move(order, 'confirmed', noon + 2 * day);
      const later = await trade.place({ now: noon + 3 * day });
      expect((await read(store, buyer, order.id)).prunedBefore).toBeNull();
      await pruneBefore(store, noon + day);
      const pruned = await read(store, buyer, order.id);
      expect(pruned.entries.map(({ event }) => event.type)).toEqual(['order.status_changed']);
      const prunedBefore = Date.parse(pruned.prunedBefore ?? '');
      expect(prunedBefore).toBeGreaterThan(noon);
      expect(prunedBefore).toBeLessThanOrEqual(noon + 2 * day);
      expect((await read(store, buyer, later.id)).prunedBefore).toBeNull();
    });

    test('has at most as many events as its limit, the last ones', async () => {
      const trade = await Trade.open(underTest.current);
      const order = await trade.place();
      await trade.move(order, 'confirmed', noon + 1);
      const { accountId } = trade.buyer;
      const past = await trade.store.timelines.readPast(accountId, order.id, {
        entries: 2,
        attempts: 1,
      });
      expect(past?.events.map(({ eventType }) => eventType)).toEqual([
        'order.status_changed',
        'task.completed',
      ]);
    });
  });
}
