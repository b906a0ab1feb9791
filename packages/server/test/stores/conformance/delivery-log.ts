import { retryWindowMs } from '@tradepost/domain/deliveries/delivery';
import { anAttempt, noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import { aResult, failedResult, leaseOne } from '../../helpers/leasing';
import { addCaller, Trade } from '../../helpers/trade';
import { changeWebhook } from '../change-webhook';
import type { StoreUnderTest } from './store-under-test';

const page = { after: null, limit: 100 };

/** The log of an account's deliveries. */
export function describeDeliveryLog(underTest: StoreUnderTest): void {
  describe('the log of deliveries', () => {
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

    test('has a new delivery as pending and due, without attempts', async () => {
      const { webhook, delivery } = await open();
      expect(delivery).toEqual({
        id: expect.stringMatching(/^dlv_/),
        eventId: expect.stringMatching(/^evt_/),
        webhookId: webhook.id,
        eventType: 'order.created',
        orderId: expect.stringMatching(/^ord_/),
        test: false,
        state: 'pending',
        nextAttemptAt: noon,
        inProgress: false,
        paused: false,
        backoffUntil: 0,
        rateUntil: 0,
        attemptCount: 0,
        lastStatus: null,
        lastError: null,
        deadlineAt: noon + retryWindowMs,
        createdAt: noon,
        finishedAt: null,
      });
    });

    test('shows which deliveries are leased, retried and delivered', async () => {
      const { store, delivery, list } = await open();
      const first = await leaseOne(store, noon);
      const inHand = { ...delivery, nextAttemptAt: null, inProgress: true };
      expect(await list()).toEqual([inHand]);
      await store.deliveries.recordAttempts([failedResult(first, noon + 5_000)], noon + 20);
      const waiting = { attemptCount: 1, lastStatus: 500, nextAttemptAt: noon + 5_000 };
      expect(await list()).toEqual([{ ...delivery, ...waiting }]);
      const second = await leaseOne(store, noon + 5_000);
      await store.deliveries.recordAttempts([aResult(second)], noon + 5_020);
      const end = { state: 'delivered', finishedAt: noon + 5_020, nextAttemptAt: null };
      expect(await list()).toEqual([{ ...delivery, ...end, attemptCount: 2, lastStatus: 200 }]);
    });

    test('keeps the body, and each attempt as it was made, oldest first', async () => {
      const { store, delivery, find } = await open();
      const attempts = [
        anAttempt({ durationMs: 31, status: 503, responseSnippet: 'später “bitte”' }),
        anAttempt({ startedAt: noon + 5_000, status: null, error: 'timeout', responseSnippet: '' }),
        anAttempt({ startedAt: noon + 20_000, url: 'https://elsewhere.example/', headers: {} }),
      ];
      const bodies = new Set<string>();
      for (const [index, attempt] of attempts.entries()) {
        const leased = await leaseOne(store, attempt.startedAt);
        bodies.add(leased.body);
        const again = attempts[index + 1]?.startedAt ?? null;
        const state = again === null ? 'delivered' : 'pending';
        const outcome = aResult(leased, { attempt, state, nextAttemptAt: again });
        await store.deliveries.recordAttempts([outcome], attempt.startedAt + attempt.durationMs);
      }
      const log = attempts.map(({ retryAfter: _own, ...attempt }, index) => ({
        number: index + 1,
        ...attempt,
      }));
      expect(await find()).toMatchObject({
        id: delivery.id,
        attemptCount: 3,
        body: [...bodies].join(),
      });
      expect((await find())?.attempts).toEqual(log);
    });

    test('shows that a webhook is paused, and when the backoff of its endpoint ends', async () => {
      const { store, webhook, list } = await open();
      for (let round = 0; round < 5; round += 1) {
        const now = noon + round * 1_000;
        const attempt = anAttempt({ startedAt: now, durationMs: 10, status: 500 });
        const leased = await leaseOne(store, now);
        const outcome = { ...failedResult(leased, now + 10), attempt };
        await store.deliveries.recordAttempts([outcome], now + 10);
      }
      expect(await list()).toMatchObject([{ paused: false, backoffUntil: noon + 9_010 }]);
      await changeWebhook(store, webhook, { status: 'paused' });
      expect(await list()).toMatchObject([{ paused: true, nextAttemptAt: noon + 4_010 }]);
    });

    test('shows a delivery only to the account of the webhook', async () => {
      const { trade, store, delivery } = await open();
      for (const { accountId } of [trade.seller, await addCaller(store, 'buyer')]) {
        expect(await store.deliveryLog.listDeliveries(accountId, {}, page)).toEqual([]);
        expect(await store.deliveryLog.findDelivery(accountId, delivery.id)).toBeNull();
      }
      expect(await store.deliveryLog.findDelivery(trade.buyer.accountId, 'dlv_none')).toBeNull();
    });

    test('survives a restart', async () => {
      const { store, accountId, delivery, find } = await open();
      await store.deliveries.recordAttempts([aResult(await leaseOne(store, noon))], noon + 20);
      const before = await find();
      const reopened = await underTest.reopen();
      expect(await reopened.deliveryLog.findDelivery(accountId, delivery.id)).toEqual(before);
    });
  });
}
