import type { AttemptResult, LeasedDelivery } from '@tradepost/domain/deliveries/delivery';
import { anAttempt, noon } from '@tradepost/domain/test/builders';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store';
import { addEndpoint, enqueueDelivery } from '../../helpers/enqueue';
import {
  aResult,
  deliveredResult,
  leaseDue,
  leaseOne,
  rejectedResult,
} from '../../helpers/leasing';
import { Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

const second = 1_000;
const year = 365 * 24 * 3_600 * second;

/** The backoff of endpoints that keep failing or request a wait. */
export function describeBackoff(underTest: StoreUnderTest): void {
  describe('the backoff of endpoints that keep failing', () => {
    /** Creates an endpoint that failed in five rounds. The last one ended 10 ms after `now`. */
    async function failing(
      now = noon,
      count = 20,
    ): Promise<{ trade: Trade; store: Store; webhook: Webhook }> {
      const trade = await Trade.open(underTest.current);
      const webhook = await addEndpoint(trade);
      const start = now - 4 * second;
      await enqueueDelivery(trade, { accountId: webhook.accountId, count, now: start });
      for (let at = start; at <= now; at += second) {
        const leased = await leaseDue(trade.store, at);
        expect(leased.length).toBeGreaterThan(0);
        await trade.store.deliveries.recordAttempts(
          leased.map((one) => rejectedResult(one, at)),
          at + 10,
        );
      }
      return { trade, store: trade.store, webhook };
    }

    test('begins after five rounds of failures: nothing is leased until it ends, and then one delivery', async () => {
      const { store } = await failing();
      const end = noon + 10 + 5 * second;
      expect(await store.deliveries.nextDueAt()).toBe(end);
      expect(await leaseDue(store, end - 1)).toEqual([]);
      expect(await leaseDue(store, end)).toHaveLength(1);
      expect(await leaseDue(store, end)).toEqual([]);
    });

    test('becomes longer with each failure, with one delivery at a time', async () => {
      const { store } = await failing();
      const pauses: number[] = [];
      for (let count = 0; count < 7; count += 1) {
        const due = (await store.deliveries.nextDueAt()) ?? 0;
        const one = await leaseOne(store, due);
        await store.deliveries.recordAttempts([rejectedResult(one, due)], due + 10);
        pauses.push(((await store.deliveries.nextDueAt()) ?? 0) - due - 10);
      }
      expect(pauses.map((pause) => pause / second)).toEqual([15, 45, 135, 300, 300, 300, 300]);
    });

    test('lets the deliveries of an endpoint take turns', async () => {
      const { store } = await failing(noon, 7);
      const leasedIds: string[] = [];
      for (let count = 0; count < 14; count += 1) {
        const due = (await store.deliveries.nextDueAt()) ?? 0;
        const one = await leaseOne(store, due);
        leasedIds.push(one.id);
        await store.deliveries.recordAttempts([rejectedResult(one, due)], due + 10);
      }
      expect(new Set(leasedIds.slice(0, 7)).size).toBe(7);
      expect(leasedIds.slice(7)).toEqual(leasedIds.slice(0, 7));
    });

    test('ends with one success: more is leased at once', async () => {
      const { store } = await failing();
      const end = noon + 10 + 5 * second;
      const one = await leaseOne(store, end);
      await store.deliveries.recordAttempts([deliveredResult(one, end)], end + 10);
      const next = await leaseDue(store, end + 10);
      expect(next).toHaveLength(2);
      await store.deliveries.recordAttempts(
        next.map((delivery) => deliveredResult(delivery, end + 10)),
        end + 20,
      );
      expect(await leaseDue(store, end + 20)).toHaveLength(4);
    });

    test('waits for a slow attempt, whose later failure does not count again', async () => {
      const trade = await Trade.open(underTest.current);
      const { accountId } = await addEndpoint(trade);
      await enqueueDelivery(trade, { accountId, count: 20 });
      const { store } = trade;
      const [slow, ...others] = await leaseDue(store, noon);
      if (slow === undefined) throw new Error('four are due');
      await store.deliveries.recordAttempts(
        others.map((one) => rejectedResult(one, noon)),
        noon + 10,
      );
      const next = await leaseOne(store, noon + second);
      await store.deliveries.recordAttempts(
        [rejectedResult(next, noon + second)],
        noon + second + 10,
      );
      expect(await leaseDue(store, noon + 2 * second)).toEqual([]);
      const attempt = anAttempt({ startedAt: noon, durationMs: 15 * second, error: 'timeout' });
      const end = noon + 15 * second;
      const broken = aResult(slow, { attempt: { ...attempt, status: null } });
      const again = { ...broken, state: 'pending', nextAttemptAt: end + 5 * second } as const;
      await store.deliveries.recordAttempts([again], end);
      expect(await leaseDue(store, end)).toHaveLength(1);
    });

    test('delays deliveries that are queued during it', async () => {
      const { trade, store, webhook } = await failing();
      await enqueueDelivery(trade, { accountId: webhook.accountId, now: noon + 100 });
      expect(await store.deliveries.nextDueAt()).toBe(noon + 10 + 5 * second);
      expect(await leaseDue(store, noon + 200)).toEqual([]);
    });

    test('does not affect other endpoints', async () => {
      const { trade, store } = await failing();
      const other = await addEndpoint(trade);
      await enqueueDelivery(trade, { accountId: other.accountId, now: noon + 100, count: 3 });
      expect(await store.deliveries.nextDueAt()).toBe(noon + 100);
      const leased = await leaseDue(store, noon + 100);
      expect(leased.map(({ webhookId }) => webhookId)).toEqual([other.id, other.id, other.id]);
    });

    test('survives a restart', async () => {
      await failing();
      const store = await underTest.reopen();
      expect(await store.deliveries.nextDueAt()).toBe(noon + 10 + 5 * second);
      expect(await leaseDue(store, noon + 5 * second)).toEqual([]);
    });

    /** A rejection with 503, 10 ms after the lease, that requests this wait. */
    function rejectedWithRetryAfter(
      delivery: LeasedDelivery,
      leasedAt: number,
      retryAfter: number,
    ): AttemptResult {
      const attempt = anAttempt({ startedAt: leasedAt, durationMs: 10, status: 503, retryAfter });
      return aResult(delivery, { attempt, state: 'pending', nextAttemptAt: leasedAt + 10 });
    }

    test('follows the wait that a receiver requests, for all its deliveries and for no others', async () => {
      const trade = await Trade.open(underTest.current);
      const { accountId } = await addEndpoint(trade);
      await enqueueDelivery(trade, { accountId, count: 20 });
      const { store } = trade;
      const [first, ...others] = await leaseDue(store, noon);
      if (first === undefined) throw new Error('four are due');
      await store.deliveries.recordAttempts(
        [rejectedWithRetryAfter(first, noon, 60 * second)],
        noon + 10,
      );
      const end = noon + 10 + 60 * second;
      // They were in flight at the time of the request: their success says nothing about now.
      await store.deliveries.recordAttempts(
        others.map((one) => deliveredResult(one, noon + 5)),
        noon + 15,
      );
      expect(await store.deliveries.nextDueAt()).toBe(end);
      expect(await leaseDue(store, end - 1)).toEqual([]);
      const other = await addEndpoint(trade);
      await enqueueDelivery(trade, { accountId: other.accountId, now: noon + 20 });
      expect(await leaseOne(store, noon + 20)).toMatchObject({ webhookId: other.id });
      expect((await leaseDue(store, end)).length).toBeGreaterThan(1);
    });

    test('lasts five minutes when a receiver requests hours; it may request again', async () => {
      const trade = await Trade.open(underTest.current);
      const { accountId } = await addEndpoint(trade);
      await enqueueDelivery(trade, { accountId });
      const { store } = trade;
      let now = noon;
      for (let count = 0; count < 3; count += 1) {
        const one = await leaseOne(store, now);
        await store.deliveries.recordAttempts(
          [rejectedWithRetryAfter(one, now, 86_400 * second)],
          now + 10,
        );
        now += 10 + 300 * second;
        expect(await store.deliveries.nextDueAt()).toBe(now);
      }
      const one = await leaseOne(store, now);
      await store.deliveries.recordAttempts([deliveredResult(one, now)], now + 10);
      await enqueueDelivery(trade, { accountId, now: now + 20 });
      expect(await leaseDue(store, now + 20)).toHaveLength(1);
    });

    test('never lasts longer than five minutes, however far the clock was set back', async () => {
      const { trade, store, webhook } = await failing(noon + year);
      await enqueueDelivery(trade, { accountId: webhook.accountId, now: noon });
      const due = (await store.deliveries.nextDueAt()) ?? 0;
      expect(due).toBe(noon + 300 * second);
      expect(await leaseDue(store, due - 1)).toEqual([]);
      expect(await leaseOne(store, due)).toMatchObject({ createdAt: noon });
    });
  });
}
