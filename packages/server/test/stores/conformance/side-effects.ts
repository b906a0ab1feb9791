import { type EventType, eventTypes } from '@tradepost/contract';
import type { Caller } from '@tradepost/domain/accounts/account';
import { type LeasedDelivery, retryWindowMs } from '@tradepost/domain/deliveries/delivery';
import { noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store';
import { aResult } from '../../helpers/leasing';
import { addCaller, Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

/** Leases everything that is queued for active endpoints, in as many requests as the concurrency limits need. */
async function allDeliveries({ deliveries }: Store): Promise<LeasedDelivery[]> {
  const now = noon + retryWindowMs;
  const all: LeasedDelivery[] = [];
  for (;;) {
    const request = { now, leaseUntil: now + 1, leaseToken: 'reader', limit: 1_000 };
    const leased = await deliveries.leaseDue(request);
    if (leased.length === 0) return all;
    await deliveries.recordAttempts(
      leased.map((one) => aResult(one)),
      now,
    );
    all.push(...leased);
  }
}

async function listTypes({ notifications }: Store, caller: Caller): Promise<string[]> {
  const page = { after: null, limit: 100 };
  const found = await notifications.listNotifications(caller.accountId, {}, page);
  return found.map(({ type }) => type);
}

function getType({ body }: { body: string }): EventType {
  return (JSON.parse(body) as { event: EventType }).event;
}

/** Side effects of a change: notifications of its events, and deliveries to the subscribed webhooks. */
export function describeSideEffects(underTest: StoreUnderTest): void {
  describe('side effects of a change', () => {
    test('each participant is notified of each event of an order, newest first', async () => {
      const trade = await Trade.open(underTest.current, { lowThreshold: 995 });
      const order = await trade.place({ quantity: 10 });
      await trade.move(order, 'confirmed', noon + 1);
      const ofTheOrder = ['order_status_changed', 'task_approval_requested', 'order_created'];
      const expected = ['task_completed', ...ofTheOrder];
      expect(await listTypes(trade.store, trade.buyer)).toEqual(expected);
      const withLow = expected.toSpliced(2, 0, 'listing_availability_low');
      expect(await listTypes(trade.store, trade.seller)).toEqual(withLow);
      expect(await listTypes(trade.store, trade.agent)).toEqual(withLow);
    });

    test('a notification has the content of its event', async () => {
      const trade = await Trade.open(underTest.current);
      const order = await trade.place({ now: noon + 7 });
      const page = { after: null, limit: 1 };
      const [newest] = await trade.store.notifications.listNotifications(
        trade.agent.accountId,
        {},
        page,
      );
      expect(newest).toEqual({
        id: expect.stringMatching(/^ntf_/),
        accountId: trade.agent.accountId,
        eventId: expect.stringMatching(/^evt_/),
        type: 'task_approval_requested',
        orderId: order.id,
        message: expect.stringContaining(order.id),
        read: false,
        createdAt: noon + 7,
      });
    });

    test('an event is delivered to each webhook of its recipients that subscribes to it, and to no other', async () => {
      const trade = await Trade.open(underTest.current);
      const stranger = await addCaller(underTest.current, 'buyer');
      const expected = await Promise.all([
        trade.subscribe(trade.buyer, ['order.created']),
        trade.subscribe(trade.seller, ['order.created', 'task.completed']),
        trade.subscribe(trade.seller, ['order.created']),
        trade.subscribe(trade.agent, ['order.created', 'order.status_changed']),
      ]);
      await trade.subscribe(trade.buyer, ['order.status_changed']);
      await trade.subscribe(stranger, [...eventTypes]);
      await trade.place();
      const deliveries = await allDeliveries(trade.store);
      expect(deliveries.map(({ webhookId }) => webhookId).sort()).toEqual(
        expected.map(({ id }) => id).sort(),
      );
      expect(new Set(deliveries.map(({ eventId }) => eventId)).size).toBe(1);
      expect(new Set(deliveries.map(({ body }) => body)).size).toBe(1);
      expect(new Set(deliveries.map(({ id }) => id)).size).toBe(expected.length);
    });

    test('a webhook receives each event type that it subscribes to once', async () => {
      const trade = await Trade.open(underTest.current, { lowThreshold: 995 });
      await trade.subscribe(trade.seller, [...eventTypes]);
      await trade.subscribe(trade.buyer, ['listing.availability_low']);
      const order = await trade.place({ quantity: 10 });
      await trade.move(order, 'cancelled');
      const deliveries = await allDeliveries(trade.store);
      expect(deliveries.map(getType).sort()).toEqual([...eventTypes].sort());
    });

    test('a delivery has what an attempt needs, and is due at once', async () => {
      const trade = await Trade.open(underTest.current);
      const { id, url, secret } = await trade.subscribe(trade.buyer, ['order.created'], {
        url: 'https://receiver.example/hooks?from=tradepost',
      });
      const order = await trade.place({ now: noon + 9 });
      expect(await trade.store.deliveries.nextDueAt()).toBe(noon + 9);
      const idempotencyKey = {
        now: noon + 9,
        leaseUntil: noon + 99,
        leaseToken: 'mine',
        limit: 10,
      };
      const [delivery, ...more] = await trade.store.deliveries.leaseDue(idempotencyKey);
      expect(more).toEqual([]);
      expect(delivery).toMatchObject({
        id: expect.stringMatching(/^dlv_/),
        eventId: expect.stringMatching(/^evt_/),
        leaseToken: expect.any(String),
        attemptCount: 0,
        scheduledTries: 0,
        createdAt: noon + 9,
        deadlineAt: noon + 9 + retryWindowMs,
        test: false,
        traceContext: null,
        orderVersion: 1,
        sequence: expect.any(Number),
        webhookId: id,
        url,
        secret,
        stagedSecret: null,
        body: expect.stringContaining(`"orderId":"${order.id}"`),
      });
    });

    test('a webhook that is registered after an event does not receive it', async () => {
      const trade = await Trade.open(underTest.current);
      await trade.place();
      await trade.subscribe(trade.buyer, ['order.created']);
      expect(await allDeliveries(trade.store)).toEqual([]);
    });

    test('listeners are notified of queued deliveries once those can be leased', async () => {
      const trade = await Trade.open(underTest.current);
      await trade.subscribe(trade.buyer, ['order.created', 'order.status_changed']);
      const heard: Promise<LeasedDelivery[]>[] = [];
      trade.store.onDeliveriesQueued(() => heard.push(allDeliveries(trade.store)));
      const order = await trade.place();
      await Promise.all(heard);
      await trade.move(order, 'confirmed');
      const leased = await Promise.all(heard);
      expect(leased.map((deliveries) => deliveries.map(getType))).toEqual([
        ['order.created'],
        expect.arrayContaining(['order.status_changed']),
      ]);
    });

    test('every listener is called, and none for a change that queued nothing', async () => {
      const trade = await Trade.open(underTest.current, { availableQuantity: 10 });
      const heard: string[] = [];
      trade.store.onDeliveriesQueued(() => heard.push('one'));
      trade.store.onDeliveriesQueued(() => heard.push('other'));
      await trade.place({ quantity: 1 });
      await trade.subscribe(trade.buyer, ['order.created']);
      await expect(trade.place({ quantity: 10 })).rejects.toThrow();
      expect(heard).toEqual([]);
      await trade.place({ quantity: 9 });
      expect(heard).toEqual(['one', 'other']);
    });
  });
}
