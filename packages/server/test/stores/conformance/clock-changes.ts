import { leaseMs } from '@tradepost/domain/deliveries/delivery';
import { noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import { failedResult, leaseDue, leaseOne } from '../../helpers/leasing';
import { Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

const hour = 3_600_000;

/** Waiting deliveries when the clock is set. */
export function describeClockChanges(underTest: StoreUnderTest): void {
  describe('when the clock is set', () => {
    /** Creates a delivery whose retry is due after noon. */
    async function openWaiting(wait: number) {
      const trade = await Trade.open(underTest.current);
      await trade.subscribe(trade.buyer, ['order.created']);
      await trade.place();
      const { deliveries } = trade.store;
      const delivery = await leaseOne(trade.store, noon);
      await deliveries.recordAttempts([failedResult(delivery, noon + wait)], noon);
      return { trade, deliveries };
    }

    test('back: a wait restarts, and lasts as long as before', async () => {
      const { deliveries } = await openWaiting(5_000);
      const now = noon - hour;
      await deliveries.adjustToClock({ expected: noon, now });
      expect(await deliveries.nextDueAt()).toBe(now + 5_000);
    });

    test('back: what was adjusted once stays as it is, even if another worker adjusts or starts after that', async () => {
      const { deliveries, trade } = await openWaiting(2 * hour);
      const now = noon - 6 * hour;
      for (let workers = 0; workers < 3; workers += 1) {
        await deliveries.adjustToClock({ expected: noon + workers, now: now + workers });
        expect(await deliveries.nextDueAt()).toBe(now + 2 * hour);
      }
      await deliveries.resetStaleLeases(now + hour);
      expect(await deliveries.nextDueAt()).toBe(now + 2 * hour);
      expect(await leaseDue(trade.store, now + 2 * hour - 1)).toEqual([]);
      expect(await leaseDue(trade.store, now + 2 * hour)).toHaveLength(1);
    });

    test('back, little by little: a wait does not shrink', async () => {
      const { deliveries } = await openWaiting(hour);
      for (let by = 2_000; by <= 20_000; by += 2_000) {
        await deliveries.adjustToClock({ expected: noon, now: noon - by });
        expect(await deliveries.nextDueAt()).toBe(noon - by + hour);
      }
    });

    test('back: a wait that began before the new time continues', async () => {
      const { deliveries } = await openWaiting(2 * hour);
      await deliveries.adjustToClock({ expected: noon + hour, now: noon + 1 });
      expect(await deliveries.nextDueAt()).toBe(noon + 2 * hour);
    });

    test('back: hundreds that are due at the same time are all adjusted', async () => {
      const trade = await Trade.open(underTest.current);
      await trade.subscribe(trade.buyer, ['order.created']);
      for (let count = 0; count < 300; count += 1) await trade.place({ quantity: 1 });
      const { deliveries } = trade.store;
      const now = noon - hour;
      await deliveries.adjustToClock({ expected: noon, now });
      const limit = 300;
      let found = 0;
      // An endpoint has a low limit at first; each delivered one raises it.
      for (let round = 0; round < limit && found < limit; round += 1) {
        const due = await leaseDue(trade.store, now, limit);
        found += due.length;
        await deliveries.recordAttempts(
          due.map((one) => ({ ...failedResult(one, now + hour), attempt: null })),
          now,
        );
      }
      expect(found).toBe(limit);
    });

    test('back: a lease ends no later than a lease from now', async () => {
      const trade = await Trade.open(underTest.current);
      await trade.subscribe(trade.buyer, ['order.created']);
      await trade.place();
      await leaseOne(trade.store, noon);
      const now = noon - hour;
      await trade.store.deliveries.adjustToClock({ expected: noon + 10, now });
      expect(await leaseDue(trade.store, now + leaseMs - 1)).toEqual([]);
      expect(await leaseDue(trade.store, now + leaseMs)).toHaveLength(1);
    });

    test('forward: a lease that stood lasts as long as it had to, also when several adjust', async () => {
      const trade = await Trade.open(underTest.current);
      await trade.subscribe(trade.buyer, ['order.created']);
      await trade.place();
      await leaseOne(trade.store, noon);
      const { deliveries } = trade.store;
      const now = noon + hour;
      for (let workers = 0; workers < 2; workers += 1) {
        await deliveries.adjustToClock({ expected: noon + 10, now });
        expect(await leaseDue(trade.store, now)).toEqual([]);
      }
      expect(await leaseDue(trade.store, now + leaseMs)).toHaveLength(1);
    });
  });
}
