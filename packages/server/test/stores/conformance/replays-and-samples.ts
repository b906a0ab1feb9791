import { describe, expect, test } from 'vitest';
import { newDelivery, retryWindow } from '../../../src/deliveries/delivery';
import { type LoggedDelivery, replay } from '../../../src/deliveries/logged-delivery';
import { sampleEvent } from '../../../src/events/sample-event';
import type { IdempotencyClaim } from '../../../src/idempotency-claim';
import type { Store } from '../../../src/store';
import type { Webhook } from '../../../src/webhooks/webhook';
import { aClaim, aMoment, anAttempt, noon } from '../../builders';
import { claim, claimOne, failedUntil, outcomeOf } from '../claiming';
import { Trade } from '../trade';
import type { StoreUnderTest } from './store-under-test';

const page = { after: null, limit: 100 };

/** Replays a delivery by the domain's own rules. */
function askReplay(
  { deliveryLog }: Store,
  accountId: string,
  id: string,
  { now = noon, claim: own = null }: { now?: number; claim?: IdempotencyClaim | null } = {},
) {
  const request = { accountId, id, claim: own, moment: aMoment(now) };
  return deliveryLog.replayDelivery(request, (found) => {
    if (found === null) throw new Error('there is no such delivery');
    const delivery = replay(found, now);
    return { delivery, answer: { status: 202, headers: {}, body: delivery } };
  });
}

/** Queues a sample for a webhook. */
function askSample(
  { deliveryLog }: Store,
  { accountId, id: webhookId }: Pick<Webhook, 'accountId' | 'id'>,
  { now = noon, claim: own = null }: { now?: number; claim?: IdempotencyClaim | null } = {},
) {
  const moment = aMoment(now);
  const request = { accountId, webhookId, claim: own, moment };
  return deliveryLog.addSample(request, (found) => {
    if (found === null) throw new Error('there is no such webhook');
    const event = sampleEvent('task.completed', moment);
    const delivery = { ...newDelivery(event, webhookId, moment), test: true };
    return { event, delivery, answer: { status: 202, headers: {}, body: { event, delivery } } };
  });
}

/** What an account may ask for: a delivery once more, or a sample of an event. */
export function describeReplaysAndSamples(underTest: StoreUnderTest): void {
  describe('deliveries that are asked for', () => {
    /** A trade whose buyer has one webhook, and one delivery to it. */
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
        'of what was %s puts it back into the queue with a schedule that begins anew',
        async (state) => {
          const { store, accountId, webhook, delivery, find } = await open();
          const outcome = outcomeOf(await claimOne(store, noon), { state });
          await store.deliveries.recordAttempts([outcome], noon + 20);
          const now = noon + retryWindow;
          const { answer } = await askReplay(store, accountId, delivery.id, { now });
          const { log: _log, body: _body, ...found } = (await find()) ?? {};
          expect(found).toEqual(answer.body);
          expect(answer.body).toMatchObject({ state: 'pending', finishedAt: null, attempts: 1 });
          const watched = await store.webhooks.findWebhook(accountId, webhook.id);
          expect(watched?.traffic.pending).toBe(1);
          expect(await claimOne(store, now)).toMatchObject({
            id: delivery.id,
            eventId: delivery.eventId,
            attempts: 1,
            tries: 0,
            deadlineAt: now + retryWindow,
          });
        },
      );

      test('of what waits makes it due at once, and counts it once', async () => {
        const { store, accountId, webhook, delivery } = await open();
        const first = await claimOne(store, noon);
        await store.deliveries.recordAttempts([failedUntil(first, noon + 3_600_000)], noon + 20);
        await askReplay(store, accountId, delivery.id, { now: noon + 60_000 });
        await askReplay(store, accountId, delivery.id, { now: noon + 60_001 });
        const watched = await store.webhooks.findWebhook(accountId, webhook.id);
        expect(watched?.traffic.pending).toBe(1);
        const again = await claimOne(store, noon + 60_001);
        await store.deliveries.recordAttempts([outcomeOf(again)], noon + 60_020);
        expect(await store.deliveries.nextDueAt()).toBeNull();
      });

      test('is heard of, and lifts what holds the endpoint', async () => {
        const { store, accountId, webhook, delivery } = await open();
        for (let round = 0; round < 5; round += 1) {
          const now = noon + round * 1_000;
          const attempt = anAttempt({ startedAt: now, duration: 10, status: 500 });
          const outcome = { ...failedUntil(await claimOne(store, now), now + 10), attempt };
          await store.deliveries.recordAttempts([outcome], now + 10);
        }
        expect(await claim(store, noon + 5_000)).toEqual([]);
        let heard = 0;
        store.onDeliveriesQueued(() => {
          heard += 1;
        });
        await askReplay(store, accountId, delivery.id, { now: noon + 5_000 });
        expect(heard).toBe(1);
        expect(await claim(store, noon + 5_000)).toHaveLength(1);
        const watched = await store.webhooks.findWebhook(accountId, webhook.id);
        expect(watched?.traffic).toMatchObject({ failures: 5, heldUntil: 0 });
      });

      test('that is refused changes nothing, and is told of nothing that is not the account’s', async () => {
        const { trade, store, accountId, delivery, list } = await open();
        const claimed = await claimOne(store, noon);
        const before = await list();
        const refused = askReplay(store, accountId, delivery.id);
        await expect(refused).rejects.toMatchObject({ code: 'delivery_in_progress' });
        expect(await list()).toEqual(before);
        for (const [owner, id] of [
          [accountId, 'dlv_none'],
          [trade.seller.accountId, delivery.id],
        ] as const) {
          await expect(askReplay(store, owner, id)).rejects.toThrow('there is no such delivery');
        }
        await store.deliveries.recordAttempts([outcomeOf(claimed)], noon + 20);
        expect(await list()).toMatchObject([{ state: 'delivered', attempts: 1 }]);
      });

      test('with an idempotency key has one effect, however often it is asked for', async () => {
        const { store, accountId, delivery, list } = await open();
        await store.deliveries.recordAttempts([outcomeOf(await claimOne(store, noon))], noon + 20);
        const own = { claim: aClaim({ accountId, operation: 'replayDelivery' }) };
        const first = await askReplay(store, accountId, delivery.id, own);
        const again = outcomeOf(await claimOne(store, noon + 40));
        await store.deliveries.recordAttempts([again], noon + 60);
        const repeated = await askReplay(store, accountId, delivery.id, own);
        expect(repeated).toEqual({ answer: first.answer, replayed: true });
        expect(await list()).toMatchObject([{ state: 'delivered', attempts: 2 }]);
      });
    });

    test('come before what has waited in their queue', async () => {
      const { trade, store, accountId, webhook, delivery } = await open();
      await store.deliveries.recordAttempts([outcomeOf(await claimOne(store, noon))], noon + 20);
      for (let count = 0; count < 3; count += 1) await trade.place();
      const now = noon + 3_600_000;
      await askReplay(store, accountId, delivery.id, { now });
      const { answer } = await askSample(store, webhook, { now: now + 1 });
      const asked = [answer.body.delivery.id, delivery.id];
      const firstTwo = await claim(store, now + 1, 2);
      expect(firstTwo.map(({ id }) => id)).toEqual(asked);
      expect(await claim(store, now + 1)).toHaveLength(3);
    });

    test('are done in their order where nothing has waited for long', async () => {
      const { store, webhook } = await open();
      await store.deliveries.recordAttempts([outcomeOf(await claimOne(store, noon))], noon + 20);
      const asked: string[] = [];
      for (const now of [noon + 40, noon + 41, noon + 42]) {
        asked.push((await askSample(store, webhook, { now })).answer.body.delivery.id);
      }
      expect((await claim(store, noon + 42)).map(({ id }) => id)).toEqual(asked);
    });

    test('may be asked for without end: the newest hundred attempts are kept, all are counted', async () => {
      const { store, accountId, delivery, find } = await open();
      for (let number = 1; number <= 103; number += 1) {
        const now = noon + number * 1_000;
        await store.deliveries.recordAttempts([outcomeOf(await claimOne(store, now))], now + 20);
        await askReplay(store, accountId, delivery.id, { now: now + 40 });
      }
      const { attempts, log } = (await find()) ?? {};
      expect(attempts).toBe(103);
      expect(log?.map(({ number }) => number)).toEqual(
        Array.from({ length: 100 }, (_, index) => index + 4),
      );
    });

    describe('a sample', () => {
      test('is queued for its webhook alone, marked, and listed', async () => {
        const { store, accountId, webhook } = await open();
        await store.deliveries.recordAttempts([outcomeOf(await claimOne(store, noon))], noon + 20);
        const { answer } = await askSample(store, webhook, { now: noon + 40 });
        const { event, delivery } = answer.body;
        expect(await claimOne(store, noon + 40)).toMatchObject({
          id: delivery.id,
          eventId: event.id,
          webhookId: webhook.id,
          body: event.body,
          test: true,
        });
        const [newest] = await store.deliveryLog.listDeliveries(accountId, {}, page);
        const shown: Partial<LoggedDelivery> = { id: delivery.id, kind: event.kind, test: true };
        expect(newest).toMatchObject(shown);
      });

      test('tells nobody', async () => {
        const { trade, store, accountId, webhook } = await open();
        const told = () => store.notifications.listNotifications(accountId, {}, page);
        const before = await told();
        let heard = 0;
        trade.store.onEvents(() => {
          heard += 1;
        });
        await askSample(store, webhook);
        expect([heard, await told()]).toEqual([0, before]);
      });

      test('is refused for a webhook that is unknown, removed, or of another account', async () => {
        const { trade, store, accountId, webhook } = await open();
        await store.webhooks.removeWebhook(accountId, webhook.id, noon);
        const theirs = await trade.subscribe(trade.seller, ['order.created']);
        for (const id of ['whk_none', webhook.id, theirs.id]) {
          const asked = askSample(store, { accountId, id });
          await expect(asked).rejects.toThrow('there is no such webhook');
        }
        expect(await claim(store, noon)).toEqual([]);
      });

      test('with an idempotency key is queued once', async () => {
        const { store, accountId, webhook, list } = await open();
        const own = { claim: aClaim({ accountId, operation: 'testWebhook' }) };
        const all = await Promise.all([1, 2, 3].map(() => askSample(store, webhook, own)));
        expect(all.map(({ replayed }) => replayed).toSorted()).toEqual([false, true, true]);
        expect(new Set(all.map(({ answer }) => answer.body.delivery.id)).size).toBe(1);
        expect(await list()).toHaveLength(2);
      });
    });
  });
}
