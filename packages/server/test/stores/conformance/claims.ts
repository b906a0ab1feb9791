import { describe, expect, test } from 'vitest';
import { type ClaimedDelivery, leaseTime, type Outcome } from '../../../src/deliveries/delivery';
import type { Store } from '../../../src/store';
import { anAttempt, noon } from '../../builders';
import { Trade } from '../trade';
import type { StoreUnderTest } from './store-under-test';

let claims = 0;

/** Claims as a worker does, with a token of its own each time. */
async function claim({ deliveries }: Store, now: number, limit = 100): Promise<ClaimedDelivery[]> {
  claims += 1;
  return deliveries.claimDue({ now, leaseUntil: now + leaseTime, token: `claim-${claims}`, limit });
}

function outcomeOf(delivery: ClaimedDelivery, overrides: Partial<Outcome> = {}): Outcome {
  return {
    deliveryId: delivery.id,
    token: delivery.token,
    number: delivery.attempts + 1,
    attempt: anAttempt(),
    state: 'delivered',
    nextAttemptAt: null,
    ...overrides,
  };
}

function failedUntil(delivery: ClaimedDelivery, nextAttemptAt: number): Outcome {
  const attempt = anAttempt({ status: 500, excerpt: 'no' });
  return outcomeOf(delivery, { attempt, state: 'pending', nextAttemptAt });
}

/** The queue of deliveries: claims, leases, outcomes. */
export function describeClaims(underTest: StoreUnderTest): void {
  describe('claims on deliveries', () => {
    async function queue(times: number[]): Promise<Store> {
      const trade = await Trade.open(underTest.current);
      await trade.subscribe(trade.buyer, ['order.created']);
      for (const now of times) await trade.place({ now, quantity: 1 });
      return trade.store;
    }

    async function claimOne(store: Store, now: number): Promise<ClaimedDelivery> {
      const [delivery, ...more] = await claim(store, now);
      if (delivery === undefined || more.length > 0) throw new Error('exactly one must be due');
      return delivery;
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

    test('workers that claim at once share the queue without overlap', async () => {
      const store = await queue(Array.from({ length: 12 }, () => noon));
      const shares = await Promise.all([1, 2, 3, 4].map(() => claim(store, noon, 4)));
      const ids = shares.flat().map(({ id }) => id);
      expect(ids).toHaveLength(12);
      expect(new Set(ids).size).toBe(12);
    });

    test('a delivered one is never due again', async () => {
      const store = await queue([noon]);
      const delivery = await claimOne(store, noon);
      await store.deliveries.recordAttempts([outcomeOf(delivery)]);
      expect(await store.deliveries.nextDueAt()).toBeNull();
      expect(await claim(store, noon + 10 * leaseTime)).toEqual([]);
    });

    test('a failed one is never due again', async () => {
      const store = await queue([noon]);
      const delivery = await claimOne(store, noon);
      const attempt = anAttempt({ status: null, error: 'timeout', excerpt: '' });
      await store.deliveries.recordAttempts([outcomeOf(delivery, { attempt, state: 'failed' })]);
      expect(await store.deliveries.nextDueAt()).toBeNull();
      expect(await claim(store, noon + 10 * leaseTime)).toEqual([]);
    });

    test('one that was given up without an attempt is never due again', async () => {
      const store = await queue([noon]);
      const delivery = await claimOne(store, noon);
      const givenUp = outcomeOf(delivery, { number: 0, attempt: null, state: 'failed' });
      await store.deliveries.recordAttempts([givenUp]);
      expect(await store.deliveries.nextDueAt()).toBeNull();
      expect(await claim(store, noon + 10 * leaseTime)).toEqual([]);
    });

    test('one to be tried again is due at that time, with its attempts counted', async () => {
      const store = await queue([noon]);
      const first = await claimOne(store, noon);
      await store.deliveries.recordAttempts([failedUntil(first, noon + 5_000)]);
      expect(await store.deliveries.nextDueAt()).toBe(noon + 5_000);
      expect(await claim(store, noon + 4_999)).toEqual([]);
      const second = await claimOne(store, noon + 5_000);
      expect(second).toEqual({ ...first, token: second.token, attempts: 1 });
      await store.deliveries.recordAttempts([failedUntil(second, noon + 20_000)]);
      expect(await claimOne(store, noon + 20_000)).toMatchObject({ attempts: 2 });
    });

    test('an outcome whose claim another worker holds by now changes nothing', async () => {
      const store = await queue([noon]);
      const late = await claimOne(store, noon);
      const current = await claimOne(store, noon + leaseTime);
      await store.deliveries.recordAttempts([outcomeOf(late)]);
      expect(await store.deliveries.nextDueAt()).toBe(noon + 2 * leaseTime);
      await store.deliveries.recordAttempts([failedUntil(current, noon + 90_000)]);
      await store.deliveries.recordAttempts([outcomeOf(late)]);
      expect(await claimOne(store, noon + 90_000)).toMatchObject({ id: late.id, attempts: 1 });
    });

    test('an outcome that is recorded twice counts once', async () => {
      const store = await queue([noon]);
      const delivery = await claimOne(store, noon);
      const outcome = failedUntil(delivery, noon + 5_000);
      await store.deliveries.recordAttempts([outcome]);
      await store.deliveries.recordAttempts([outcome]);
      expect(await claimOne(store, noon + 5_000)).toMatchObject({ attempts: 1 });
    });

    test('outcomes are recorded together, the stale among them left out', async () => {
      const store = await queue([noon, noon, noon]);
      const [first, second, third] = await claim(store, noon);
      if (!(first && second && third)) throw new Error('three are due');
      await store.deliveries.recordAttempts([
        outcomeOf(first),
        outcomeOf(second, { token: 'stale' }),
        failedUntil(third, noon + 5_000),
      ]);
      const left = await claim(store, noon + leaseTime);
      expect(left.map(({ id, attempts }) => ({ id, attempts }))).toEqual([
        { id: third.id, attempts: 1 },
        { id: second.id, attempts: 0 },
      ]);
    });

    test('nothing is recorded when there is nothing to record', async () => {
      const store = await queue([noon]);
      await store.deliveries.recordAttempts([]);
      expect(await store.deliveries.nextDueAt()).toBe(noon);
    });
  });
}
