import { newDelivery, retryWindowMs } from '@tradepost/domain/deliveries/delivery';
import {
  type DeliveryFilter,
  type LoggedDelivery,
  replayDelivery,
  replayMatching,
} from '@tradepost/domain/deliveries/logged-delivery';
import { createTestEvent } from '@tradepost/domain/events/test-event';
import type { IdempotencyKey } from '@tradepost/domain/kernel/idempotency';
import { aContext, anAttempt, anIdempotencyKey, noon } from '@tradepost/domain/test/builders';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store';
import { aResult, failedResult, leaseDue, leaseOne } from '../../helpers/leasing';
import { Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

const page = { after: null, limit: 100 };

/** Options of a request. */
interface RequestOptions {
  now?: number;
  idempotencyKey?: IdempotencyKey | null;
}

/** Replays a delivery by the domain's own rules. */
function requestReplay(
  { deliveryLog }: Store,
  accountId: string,
  id: string,
  { now = noon, idempotencyKey = null }: RequestOptions = {},
) {
  const request = { accountId, ids: [id], idempotencyKey, context: aContext(now) };
  return deliveryLog.replayDeliveries(request, ([found]) => {
    if (found === undefined) throw new Error('there is no such delivery');
    const delivery = replayDelivery(found, now);
    return { deliveries: [delivery], response: { status: 202, headers: {}, body: delivery } };
  });
}

/** Replays those of some deliveries that a filter still finds. */
function requestReplays(
  { deliveryLog }: Store,
  accountId: string,
  { ids, filter = {} }: { ids: string[]; filter?: DeliveryFilter },
  { now = noon, idempotencyKey = null }: RequestOptions = {},
) {
  const request = { accountId, ids, idempotencyKey, context: aContext(now) };
  return deliveryLog.replayDeliveries(request, (found) => {
    const { deliveries, skipped } = replayMatching(found, filter, now);
    const body = { replayed: deliveries.length, skipped };
    return { deliveries, response: { status: 202, headers: {}, body } };
  });
}

/** Queues a test event for a webhook. */
function requestTestEvent(
  { deliveryLog }: Store,
  { accountId, id: webhookId }: Pick<Webhook, 'accountId' | 'id'>,
  { now = noon, idempotencyKey = null }: RequestOptions = {},
) {
  const context = aContext(now);
  const request = { accountId, webhookId, idempotencyKey, context };
  return deliveryLog.enqueueTestDelivery(request, (found) => {
    if (found === null) throw new Error('there is no such webhook');
    const event = createTestEvent('task.completed', context);
    const delivery = { ...newDelivery(event, webhookId, context), test: true };
    return { event, delivery, response: { status: 202, headers: {}, body: { event, delivery } } };
  });
}

/** Deliveries that an account requests: replays and test events. */
export function describeReplaysAndTestEvents(underTest: StoreUnderTest): void {
  describe('deliveries on request', () => {
    /** Opens a trade whose buyer has one webhook, and one delivery to it. */
    async function open() {
      const trade = await Trade.open(underTest.current);
      const { store, buyer } = trade;
      const { accountId } = buyer;
      const webhook = await trade.subscribe(buyer, ['order.created']);
      await trade.place();
      const list = () => store.deliveryLog.listDeliveries(accountId, {}, page);
      const [delivery, ...more] = await list();
      if (delivery === undefined || more.length > 0) throw new Error('exactly one is queued');
      const find = () => store.deliveryLog.findDelivery(accountId, delivery.id);
      return { trade, store, accountId, webhook, delivery, list, find };
    }

    describe('a replay', () => {
      test.each(['delivered', 'failed'] as const)(
        'of a %s delivery puts it back into the queue and restarts its schedule',
        async (state) => {
          const { store, accountId, webhook, delivery, find } = await open();
          const outcome = aResult(await leaseOne(store, noon), { state });
          await store.deliveries.recordAttempts([outcome], noon + 20);
          const now = noon + retryWindowMs;
          const { response } = await requestReplay(store, accountId, delivery.id, { now });
          const { attempts: _log, body: _body, ...found } = (await find()) ?? {};
          expect(found).toEqual(response.body);
          expect(response.body).toMatchObject({
            state: 'pending',
            finishedAt: null,
            attemptCount: 1,
          });
          const watched = await store.webhooks.findWebhook(accountId, webhook.id);
          expect(watched?.health.pending).toBe(1);
          expect(await leaseOne(store, now)).toMatchObject({
            id: delivery.id,
            eventId: delivery.eventId,
            attemptCount: 1,
            scheduledTries: 0,
            deadlineAt: now + retryWindowMs,
          });
        },
      );

      test('of a pending delivery makes it due at once, and counts it once', async () => {
        const { store, accountId, webhook, delivery } = await open();
        const first = await leaseOne(store, noon);
        await store.deliveries.recordAttempts([failedResult(first, noon + 3_600_000)], noon + 20);
        await requestReplay(store, accountId, delivery.id, { now: noon + 60_000 });
        await requestReplay(store, accountId, delivery.id, { now: noon + 60_001 });
        const watched = await store.webhooks.findWebhook(accountId, webhook.id);
        expect(watched?.health.pending).toBe(1);
        const again = await leaseOne(store, noon + 60_001);
        await store.deliveries.recordAttempts([aResult(again)], noon + 60_020);
        expect(await store.deliveries.nextDueAt()).toBeNull();
      });

      test('notifies listeners, and ends the backoff of the endpoint', async () => {
        const { store, accountId, webhook, delivery } = await open();
        for (let round = 0; round < 5; round += 1) {
          const now = noon + round * 1_000;
          const attempt = anAttempt({ startedAt: now, durationMs: 10, status: 500 });
          const outcome = { ...failedResult(await leaseOne(store, now), now + 10), attempt };
          await store.deliveries.recordAttempts([outcome], now + 10);
        }
        expect(await leaseDue(store, noon + 5_000)).toEqual([]);
        let heard = 0;
        store.onDeliveriesQueued(() => {
          heard += 1;
        });
        await requestReplay(store, accountId, delivery.id, { now: noon + 5_000 });
        expect(heard).toBe(1);
        expect(await leaseDue(store, noon + 5_000)).toHaveLength(1);
        const watched = await store.webhooks.findWebhook(accountId, webhook.id);
        expect(watched?.health).toMatchObject({ failures: 5, backoffUntil: 0 });
      });

      test('that is rejected changes nothing, and finds no delivery of another account', async () => {
        const { trade, store, accountId, delivery, list } = await open();
        const leased = await leaseOne(store, noon);
        const before = await list();
        const rejected = requestReplay(store, accountId, delivery.id);
        await expect(rejected).rejects.toMatchObject({ code: 'delivery_in_progress' });
        expect(await list()).toEqual(before);
        for (const [owner, id] of [
          [accountId, 'dlv_none'],
          [trade.seller.accountId, delivery.id],
        ] as const) {
          await expect(requestReplay(store, owner, id)).rejects.toThrow(
            'there is no such delivery',
          );
        }
        await store.deliveries.recordAttempts([aResult(leased)], noon + 20);
        expect(await list()).toMatchObject([{ state: 'delivered', attemptCount: 1 }]);
      });

      test('with an idempotency key has one effect, however often it is requested', async () => {
        const { store, accountId, delivery, list } = await open();
        await store.deliveries.recordAttempts([aResult(await leaseOne(store, noon))], noon + 20);
        const own = {
          idempotencyKey: anIdempotencyKey({ accountId, operation: 'replayDelivery' }),
        };
        const first = await requestReplay(store, accountId, delivery.id, own);
        const again = aResult(await leaseOne(store, noon + 40));
        await store.deliveries.recordAttempts([again], noon + 60);
        const repeated = await requestReplay(store, accountId, delivery.id, own);
        expect(repeated).toEqual({ response: first.response, replayed: true });
        expect(await list()).toMatchObject([{ state: 'delivered', attemptCount: 2 }]);
      });
    });

    describe('a replay of many', () => {
      /** Makes four deliveries: a delivered, a failed, one that waits, one in flight, and the backoff of their endpoint. */
      async function openMany() {
        const opened = await open();
        const { trade, store, accountId } = opened;
        for (let count = 1; count < 4; count += 1) await trade.place();
        const leased = await leaseDue(store, noon);
        const [one, two, three, inFlight] = leased;
        if (!(one && two && three && inFlight)) throw new Error('four are due');
        const until = noon + 20 + 300_000;
        const attempt = anAttempt({ status: 503, retryAfter: 300_000 });
        await store.deliveries.recordAttempts(
          [
            aResult(one),
            aResult(two, { attempt, state: 'failed' }),
            { ...failedResult(three, until), attempt },
          ],
          noon + 20,
        );
        const ids = leased.map(({ id }) => id);
        const health = async () =>
          (await store.webhooks.findWebhook(accountId, opened.webhook.id))?.health;
        return { ...opened, ids, inFlight, health };
      }

      test('makes all due again that the filter finds, and ends the backoff', async () => {
        const { store, accountId, ids, health } = await openMany();
        expect((await health())?.backoffUntil).toBeGreaterThan(noon + 300_000);
        const { response } = await requestReplays(store, accountId, { ids }, { now: noon + 40 });
        expect(response.body).toEqual({ replayed: 3, skipped: 1 });
        expect(await health()).toMatchObject({ pending: 4, backoffUntil: 0 });
        const again = await leaseDue(store, noon + 40);
        expect(again.map(({ id }) => id)).toEqual(ids.slice(0, again.length));
        for (const one of again)
          expect(one).toMatchObject({ scheduledTries: 0, deadlineAt: noon + 40 + retryWindowMs });
        const rest = { ids, filter: { state: 'failed' } } as const;
        expect((await requestReplays(store, accountId, rest)).response.body).toEqual({
          replayed: 0,
          skipped: 0,
        });
      });

      test('leaves out what has changed since it was found, and what is of others', async () => {
        const { trade, store, accountId, ids, list, inFlight } = await openMany();
        await store.deliveries.recordAttempts([aResult(inFlight)], noon + 30);
        const before = await list();
        const pending = { ids, filter: { state: 'pending' } } as const;
        const { seller } = trade;
        expect((await requestReplays(store, seller.accountId, pending)).response.body).toEqual({
          replayed: 0,
          skipped: 0,
        });
        expect(await list()).toEqual(before);
        const own = await requestReplays(store, accountId, pending, { now: noon + 40 });
        expect(own.response.body).toEqual({ replayed: 1, skipped: 0 });
        const after = await list();
        expect(after.filter(({ nextAttemptAt }) => nextAttemptAt === noon + 40)).toHaveLength(1);
        expect(after.map(({ state }) => state)).toEqual(before.map(({ state }) => state));
      });

      test('has the results of replays one by one', async () => {
        const many = await openMany();
        await requestReplays(many.store, many.accountId, { ids: many.ids }, { now: noon + 40 });
        const shown = (one: LoggedDelivery) => [one.state, one.nextAttemptAt, one.deadlineAt];
        const together = (await many.list()).map(shown);
        await underTest.renew();
        const single = await openMany();
        for (const id of single.ids.slice(0, 3))
          await requestReplay(single.store, single.accountId, id, { now: noon + 40 });
        expect((await single.list()).map(shown)).toEqual(together);
        expect(await single.health()).toMatchObject({ pending: 4, backoffUntil: 0 });
      });

      test('with an idempotency key has one effect, also when it is requested twice at once', async () => {
        const { store, accountId, ids } = await openMany();
        const own = {
          now: noon + 40,
          idempotencyKey: anIdempotencyKey({ accountId, operation: 'replayDeliveries' }),
        };
        const all = await Promise.all(
          [1, 2, 3].map(() => requestReplays(store, accountId, { ids }, own)),
        );
        expect(all.map(({ replayed }) => replayed).toSorted()).toEqual([false, true, true]);
        for (const { response } of all) expect(response.body).toEqual({ replayed: 3, skipped: 1 });
      });

      test('of nothing changes nothing', async () => {
        const { store, accountId, list, health } = await openMany();
        const before = [await list(), await health()];
        const { response } = await requestReplays(store, accountId, { ids: [] });
        expect(response.body).toEqual({ replayed: 0, skipped: 0 });
        expect([await list(), await health()]).toEqual(before);
      });
    });

    test('come before other deliveries of their queue', async () => {
      const { trade, store, accountId, webhook, delivery } = await open();
      await store.deliveries.recordAttempts([aResult(await leaseOne(store, noon))], noon + 20);
      for (let count = 0; count < 3; count += 1) await trade.place();
      const now = noon + 3_600_000;
      await requestReplay(store, accountId, delivery.id, { now });
      const { response } = await requestTestEvent(store, webhook, { now: now + 1 });
      const requested = [response.body.delivery.id, delivery.id];
      const firstTwo = await leaseDue(store, now + 1, 2);
      expect(firstTwo.map(({ id }) => id)).toEqual(requested);
      expect(await leaseDue(store, now + 1)).toHaveLength(3);
    });

    test('are listed as due when they were requested, also ahead of others', async () => {
      const { trade, store, accountId, webhook, delivery, find } = await open();
      await store.deliveries.recordAttempts([aResult(await leaseOne(store, noon))], noon + 20);
      await trade.place();
      const now = noon + 3_600_000;
      const replay = await requestReplay(store, accountId, delivery.id, { now });
      expect(replay.response.body.nextAttemptAt).toBe(now);
      expect((await find())?.nextAttemptAt).toBe(now);
      const { response } = await requestTestEvent(store, webhook, { now: now + 1 });
      const found = await store.deliveryLog.findDelivery(accountId, response.body.delivery.id);
      expect(found?.nextAttemptAt).toBe(now + 1);
    });

    test('are made in the order of their requests', async () => {
      const { store, webhook } = await open();
      await store.deliveries.recordAttempts([aResult(await leaseOne(store, noon))], noon + 20);
      const requested: string[] = [];
      for (const now of [noon + 40, noon + 41, noon + 42]) {
        requested.push((await requestTestEvent(store, webhook, { now })).response.body.delivery.id);
      }
      expect((await leaseDue(store, noon + 42)).map(({ id }) => id)).toEqual(requested);
    });

    test('may be repeated without limit: the latest hundred attempts are kept, all are counted', async () => {
      const { store, accountId, delivery, find } = await open();
      for (let number = 1; number <= 103; number += 1) {
        const now = noon + number * 1_000;
        await store.deliveries.recordAttempts([aResult(await leaseOne(store, now))], now + 20);
        await requestReplay(store, accountId, delivery.id, { now: now + 40 });
      }
      const { attemptCount, attempts: log } = (await find()) ?? {};
      expect(attemptCount).toBe(103);
      expect(log?.map(({ number }) => number)).toEqual(
        Array.from({ length: 100 }, (_, index) => index + 4),
      );
    });

    describe('a test event', () => {
      test('is queued for its webhook alone, marked, and listed', async () => {
        const { store, accountId, webhook } = await open();
        await store.deliveries.recordAttempts([aResult(await leaseOne(store, noon))], noon + 20);
        const { response } = await requestTestEvent(store, webhook, { now: noon + 40 });
        const { event, delivery } = response.body;
        expect(await leaseOne(store, noon + 40)).toMatchObject({
          id: delivery.id,
          eventId: event.id,
          webhookId: webhook.id,
          body: event.body,
          test: true,
        });
        const [newest] = await store.deliveryLog.listDeliveries(accountId, {}, page);
        const shown: Partial<LoggedDelivery> = {
          id: delivery.id,
          orderId: null,
          eventType: event.eventType,
          test: true,
        };
        expect(newest).toMatchObject(shown);
        const { eventId } = delivery;
        expect(await store.deliveryLog.listDeliveries(accountId, { eventId }, page)).toEqual([
          newest,
        ]);
      });

      test('notifies no account', async () => {
        const { trade, store, accountId, webhook } = await open();
        const listNotifications = () => store.notifications.listNotifications(accountId, {}, page);
        const before = await listNotifications();
        let heard = 0;
        trade.store.onEvents(() => {
          heard += 1;
        });
        await requestTestEvent(store, webhook);
        expect([heard, await listNotifications()]).toEqual([0, before]);
      });

      test('is rejected for a webhook that is unknown, deleted, or of another account', async () => {
        const { trade, store, accountId, webhook } = await open();
        await store.webhooks.deleteWebhook(accountId, webhook.id, noon);
        const theirs = await trade.subscribe(trade.seller, ['order.created']);
        for (const id of ['whk_none', webhook.id, theirs.id]) {
          const requested = requestTestEvent(store, { accountId, id });
          await expect(requested).rejects.toThrow('there is no such webhook');
        }
        expect(await leaseDue(store, noon)).toEqual([]);
      });

      test('with an idempotency key is queued once', async () => {
        const { store, accountId, webhook, list } = await open();
        const own = { idempotencyKey: anIdempotencyKey({ accountId, operation: 'sendTestEvent' }) };
        const all = await Promise.all([1, 2, 3].map(() => requestTestEvent(store, webhook, own)));
        expect(all.map(({ replayed }) => replayed).toSorted()).toEqual([false, true, true]);
        expect(new Set(all.map(({ response }) => response.body.delivery.id)).size).toBe(1);
        expect(await list()).toHaveLength(2);
      });
    });
  });
}
