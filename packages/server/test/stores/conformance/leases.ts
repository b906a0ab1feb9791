import { type AttemptResult, leaseMs } from '@tradepost/domain/deliveries/delivery';
import { anAttempt, noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store';
import { addEndpoint, enqueueDelivery } from '../../helpers/enqueue';
import {
  aResult,
  failedResult,
  interruptedResult,
  leaseDue,
  leaseOne,
} from '../../helpers/leasing';
import { Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

/** The queue of deliveries: leases and results. */
export function describeLeases(underTest: StoreUnderTest): void {
  describe('with leases', () => {
    async function queue(times: number[]): Promise<Store> {
      const trade = await Trade.open(underTest.current);
      await trade.subscribe(trade.buyer, ['order.created']);
      for (const now of times) await trade.place({ now, quantity: 1 });
      return trade.store;
    }

    test('an empty queue has nothing to lease and nothing due', async () => {
      expect(await leaseDue(underTest.current, noon)).toEqual([]);
      expect(await underTest.current.deliveries.nextDueAt()).toBeNull();
    });

    test('a delivery that is not due yet is not leased', async () => {
      const store = await queue([noon]);
      expect(await leaseDue(store, noon - 1)).toEqual([]);
      expect(await store.deliveries.nextDueAt()).toBe(noon);
      expect(await leaseDue(store, noon)).toHaveLength(1);
    });

    test('the deliveries that are due longest come first, no more than requested', async () => {
      const store = await queue([noon + 3, noon + 1, noon + 2, noon]);
      const first = await leaseDue(store, noon + 10, 3);
      const second = await leaseDue(store, noon + 10, 3);
      const times = [...first, ...second].map(({ body }) => JSON.parse(body).createdAt);
      expect([first.length, second.length]).toEqual([3, 1]);
      expect(times).toEqual([0, 1, 2, 3].map((at) => new Date(noon + at).toISOString()));
    });

    test('a leased delivery is not leased again until its lease ends', async () => {
      const store = await queue([noon]);
      const first = await leaseOne(store, noon);
      expect(await store.deliveries.nextDueAt()).toBe(noon + leaseMs);
      expect(await leaseDue(store, noon + leaseMs - 1)).toEqual([]);
      const second = await leaseOne(store, noon + leaseMs);
      expect(second).toEqual({ ...first, leaseToken: second.leaseToken });
      expect(second.leaseToken).not.toBe(first.leaseToken);
    });

    test('workers that lease at once share the queues without overlap', async () => {
      const trade = await Trade.open(underTest.current);
      for (let count = 0; count < 3; count += 1) {
        const { accountId } = await addEndpoint(trade);
        await enqueueDelivery(trade, { accountId, count: 4 });
      }
      const shares = await Promise.all([1, 2, 3, 4].map(() => leaseDue(trade.store, noon, 4)));
      // Some may have found nothing while the others had all queues locked.
      for (let found = shares.flat(); found.length > 0; shares.push(found)) {
        found = await leaseDue(trade.store, noon, 4);
      }
      const ids = shares.flat().map(({ id }) => id);
      expect(ids).toHaveLength(12);
      expect(new Set(ids).size).toBe(12);
    });

    test.each<[string, Partial<AttemptResult>]>([
      ['that was delivered', {}],
      [
        'that failed',
        {
          state: 'failed',
          attempt: anAttempt({ status: null, error: 'timeout', responseSnippet: '' }),
        },
      ],
      ['that expired without an attempt', { number: 0, attempt: null, state: 'failed' }],
    ])('a delivery %s is never due again', async (_what, result) => {
      const store = await queue([noon]);
      const delivery = await leaseOne(store, noon);
      await store.deliveries.recordAttempts([aResult(delivery, result)], noon);
      expect(await store.deliveries.nextDueAt()).toBeNull();
      expect(await leaseDue(store, noon + 10 * leaseMs)).toEqual([]);
    });

    test('a retry is due at its time, with its attempts counted', async () => {
      const store = await queue([noon]);
      const first = await leaseOne(store, noon);
      await store.deliveries.recordAttempts([failedResult(first, noon + 5_000)], noon);
      expect(await store.deliveries.nextDueAt()).toBe(noon + 5_000);
      expect(await leaseDue(store, noon + 4_999)).toEqual([]);
      const second = await leaseOne(store, noon + 5_000);
      expect(second).toEqual({
        ...first,
        leaseToken: second.leaseToken,
        attemptCount: 1,
        scheduledTries: 1,
      });
      await store.deliveries.recordAttempts([failedResult(second, noon + 20_000)], noon);
      expect(await leaseOne(store, noon + 20_000)).toMatchObject({
        attemptCount: 2,
        scheduledTries: 2,
      });
    });

    test('a delivery whose attempt was interrupted is due again at once, and counts no attempt', async () => {
      const store = await queue([noon]);
      const first = await leaseOne(store, noon);
      await store.deliveries.recordAttempts([interruptedResult(first, noon + 5)], noon + 5);
      expect(await store.deliveries.nextDueAt()).toBe(noon + 5);
      const second = await leaseOne(store, noon + 5);
      expect(second).toEqual({ ...first, leaseToken: second.leaseToken });
    });

    test('a lease that ended is valid until another worker leases: its result is recorded', async () => {
      const store = await queue([noon]);
      const late = await leaseOne(store, noon);
      await store.deliveries.recordAttempts([aResult(late)], noon + 2 * leaseMs);
      expect(await leaseDue(store, noon + 2 * leaseMs)).toEqual([]);
      expect(await store.deliveries.nextDueAt()).toBeNull();
    });

    test('a result whose lease another worker has changes nothing', async () => {
      const store = await queue([noon]);
      const late = await leaseOne(store, noon);
      const current = await leaseOne(store, noon + leaseMs);
      await store.deliveries.recordAttempts([aResult(late)], noon);
      expect(await store.deliveries.nextDueAt()).toBe(noon + 2 * leaseMs);
      await store.deliveries.recordAttempts([failedResult(current, noon + 90_000)], noon);
      await store.deliveries.recordAttempts([aResult(late)], noon);
      expect(await leaseOne(store, noon + 90_000)).toMatchObject({ id: late.id, attemptCount: 1 });
    });

    test('a result that is recorded twice counts once', async () => {
      const store = await queue([noon]);
      const delivery = await leaseOne(store, noon);
      const outcome = failedResult(delivery, noon + 5_000);
      await store.deliveries.recordAttempts([outcome], noon);
      await store.deliveries.recordAttempts([outcome], noon);
      expect(await leaseOne(store, noon + 5_000)).toMatchObject({ attemptCount: 1 });
    });

    test('results are recorded together, except for stale ones', async () => {
      const store = await queue([noon, noon, noon]);
      const [first, second, third] = await leaseDue(store, noon);
      if (!(first && second && third)) throw new Error('three are due');
      await store.deliveries.recordAttempts(
        [
          aResult(first),
          aResult(second, { leaseToken: 'stale' }),
          failedResult(third, noon + 5_000),
        ],
        noon,
      );
      const left = await leaseDue(store, noon + leaseMs);
      expect(left.map(({ id, attemptCount }) => ({ id, attemptCount }))).toEqual([
        { id: third.id, attemptCount: 1 },
        { id: second.id, attemptCount: 0 },
      ]);
    });

    test('nothing is recorded when there is nothing to record', async () => {
      const store = await queue([noon]);
      await store.deliveries.recordAttempts([], noon);
      expect(await store.deliveries.nextDueAt()).toBe(noon);
    });
  });
}
