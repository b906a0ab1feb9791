import { describe, expect, test } from 'vitest';
import { leaseTime } from '../../../src/deliveries/delivery';
import type { Store } from '../../../src/store';
import { anAttempt, noon } from '../../builders';
import { claim, claimOne, failedUntil, interrupted, outcomeOf } from '../claiming';
import { addEndpoint, queueUp } from '../queue-up';
import { Trade } from '../trade';
import type { StoreUnderTest } from './store-under-test';

/** The queue of deliveries: claims, leases, outcomes. */
export function describeClaims(underTest: StoreUnderTest): void {
  describe('claims on deliveries', () => {
    async function queue(times: number[]): Promise<Store> {
      const trade = await Trade.open(underTest.current);
      await trade.subscribe(trade.buyer, ['order.created']);
      for (const now of times) await trade.place({ now, quantity: 1 });
      return trade.store;
    }

    test('an empty queue has nothing to claim and nothing due', async () => {
      expect(await claim(underTest.current, noon)).toEqual([]);
      expect(await underTest.current.deliveries.nextDueAt()).toBeNull();
    });

    test('what is not due yet is not claimed', async () => {
      const store = await queue([noon]);
      expect(await claim(store, noon - 1)).toEqual([]);
      expect(await store.deliveries.nextDueAt()).toBe(noon);
      expect(await claim(store, noon)).toHaveLength(1);
    });

    test('the longest due come first, no more than asked for', async () => {
      const store = await queue([noon + 3, noon + 1, noon + 2, noon]);
      const first = await claim(store, noon + 10, 3);
      const second = await claim(store, noon + 10, 3);
      const times = [...first, ...second].map(({ body }) => JSON.parse(body).createdAt);
      expect([first.length, second.length]).toEqual([3, 1]);
      expect(times).toEqual([0, 1, 2, 3].map((at) => new Date(noon + at).toISOString()));
    });

    test('a claimed delivery is not claimed again until its lease ends', async () => {
      const store = await queue([noon]);
      const first = await claimOne(store, noon);
      expect(await store.deliveries.nextDueAt()).toBe(noon + leaseTime);
      expect(await claim(store, noon + leaseTime - 1)).toEqual([]);
      const second = await claimOne(store, noon + leaseTime);
      expect(second).toEqual({ ...first, token: second.token });
      expect(second.token).not.toBe(first.token);
    });

    test('workers that claim at once share the queues without overlap', async () => {
      const trade = await Trade.open(underTest.current);
      for (let count = 0; count < 3; count += 1) {
        const { accountId } = await addEndpoint(trade);
        await queueUp(trade, { accountId, count: 4 });
      }
      const shares = await Promise.all([1, 2, 3, 4].map(() => claim(trade.store, noon, 4)));
      const ids = shares.flat().map(({ id }) => id);
      expect(ids).toHaveLength(12);
      expect(new Set(ids).size).toBe(12);
    });

    test('a delivered one is never due again', async () => {
      const store = await queue([noon]);
      const delivery = await claimOne(store, noon);
      await store.deliveries.recordAttempts([outcomeOf(delivery)], noon);
      expect(await store.deliveries.nextDueAt()).toBeNull();
      expect(await claim(store, noon + 10 * leaseTime)).toEqual([]);
    });

    test('a failed one is never due again', async () => {
      const store = await queue([noon]);
      const delivery = await claimOne(store, noon);
      const attempt = anAttempt({ status: null, error: 'timeout', excerpt: '' });
      await store.deliveries.recordAttempts(
        [outcomeOf(delivery, { attempt, state: 'failed' })],
        noon,
      );
      expect(await store.deliveries.nextDueAt()).toBeNull();
      expect(await claim(store, noon + 10 * leaseTime)).toEqual([]);
    });

    test('one that was given up without an attempt is never due again', async () => {
      const store = await queue([noon]);
      const delivery = await claimOne(store, noon);
      const givenUp = outcomeOf(delivery, { number: 0, attempt: null, state: 'failed' });
      await store.deliveries.recordAttempts([givenUp], noon);
      expect(await store.deliveries.nextDueAt()).toBeNull();
      expect(await claim(store, noon + 10 * leaseTime)).toEqual([]);
    });

    test('one to be tried again is due at that time, with its attempts counted', async () => {
      const store = await queue([noon]);
      const first = await claimOne(store, noon);
      await store.deliveries.recordAttempts([failedUntil(first, noon + 5_000)], noon);
      expect(await store.deliveries.nextDueAt()).toBe(noon + 5_000);
      expect(await claim(store, noon + 4_999)).toEqual([]);
      const second = await claimOne(store, noon + 5_000);
      expect(second).toEqual({ ...first, token: second.token, attempts: 1, tries: 1 });
      await store.deliveries.recordAttempts([failedUntil(second, noon + 20_000)], noon);
      expect(await claimOne(store, noon + 20_000)).toMatchObject({ attempts: 2, tries: 2 });
    });

    test('one whose attempt was broken off is due again at once, and counts no attempt', async () => {
      const store = await queue([noon]);
      const first = await claimOne(store, noon);
      await store.deliveries.recordAttempts([interrupted(first, noon + 5)], noon + 5);
      expect(await store.deliveries.nextDueAt()).toBe(noon + 5);
      const second = await claimOne(store, noon + 5);
      expect(second).toEqual({ ...first, token: second.token });
    });

    test('a lease that ended is good until somebody else claims: its outcome is recorded', async () => {
      const store = await queue([noon]);
      const late = await claimOne(store, noon);
      await store.deliveries.recordAttempts([outcomeOf(late)], noon + 2 * leaseTime);
      expect(await claim(store, noon + 2 * leaseTime)).toEqual([]);
      expect(await store.deliveries.nextDueAt()).toBeNull();
    });

    test('an outcome whose claim another worker holds by now changes nothing', async () => {
      const store = await queue([noon]);
      const late = await claimOne(store, noon);
      const current = await claimOne(store, noon + leaseTime);
      await store.deliveries.recordAttempts([outcomeOf(late)], noon);
      expect(await store.deliveries.nextDueAt()).toBe(noon + 2 * leaseTime);
      await store.deliveries.recordAttempts([failedUntil(current, noon + 90_000)], noon);
      await store.deliveries.recordAttempts([outcomeOf(late)], noon);
      expect(await claimOne(store, noon + 90_000)).toMatchObject({ id: late.id, attempts: 1 });
    });

    test('an outcome that is recorded twice counts once', async () => {
      const store = await queue([noon]);
      const delivery = await claimOne(store, noon);
      const outcome = failedUntil(delivery, noon + 5_000);
      await store.deliveries.recordAttempts([outcome], noon);
      await store.deliveries.recordAttempts([outcome], noon);
      expect(await claimOne(store, noon + 5_000)).toMatchObject({ attempts: 1 });
    });

    test('outcomes are recorded together, the stale among them left out', async () => {
      const store = await queue([noon, noon, noon]);
      const [first, second, third] = await claim(store, noon);
      if (!(first && second && third)) throw new Error('three are due');
      await store.deliveries.recordAttempts(
        [outcomeOf(first), outcomeOf(second, { token: 'stale' }), failedUntil(third, noon + 5_000)],
        noon,
      );
      const left = await claim(store, noon + leaseTime);
      expect(left.map(({ id, attempts }) => ({ id, attempts }))).toEqual([
        { id: third.id, attempts: 1 },
        { id: second.id, attempts: 0 },
      ]);
    });

    test('nothing is recorded when there is nothing to record', async () => {
      const store = await queue([noon]);
      await store.deliveries.recordAttempts([], noon);
      expect(await store.deliveries.nextDueAt()).toBe(noon);
    });
  });
}
