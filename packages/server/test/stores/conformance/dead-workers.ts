import { leaseMs } from '@tradepost/domain/deliveries/delivery';
import { noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store';
import { aResult, leaseDue } from '../../helpers/leasing';
import { Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

/** Leases of workers that died, that live, and that ended. */
export function describeDeadWorkers(underTest: StoreUnderTest): void {
  describe('with workers that die', () => {
    async function queue(count: number): Promise<Store> {
      const trade = await Trade.open(underTest.current);
      await trade.subscribe(trade.buyer, ['order.created']);
      for (let placed = 0; placed < count; placed += 1) await trade.place({ now: noon });
      return trade.store;
    }

    const leaseAs = ({ deliveries }: Store, worker: string, limit = 100) =>
      deliveries.leaseDue({
        now: noon,
        leaseUntil: noon + leaseMs,
        leaseToken: 'a lease',
        limit,
        worker,
      });

    /** A store may look twice, half a second apart, before a worker counts as dead. */
    const releaseDead = ({ deliveries }: Store, now: number, count: number) =>
      expect.poll(() => deliveries.releaseDeadLeases(now), { timeout: 5_000 }).toBe(count);

    test('the leases of a dead worker are due again at once, and its late results change nothing', async () => {
      const store = await queue(1);
      const { id } = await store.deliveries.registerWorker();
      const [late] = await leaseAs(store, id);
      if (late === undefined) throw new Error('one is due');

      const again = await underTest.reopen();
      await releaseDead(again, noon + 1, 1);
      await again.deliveries.recordAttempts([aResult(late)], noon + 1);
      const [current, ...none] = await leaseDue(again, noon + 1);
      expect([current?.id, none]).toEqual([late.id, []]);
      expect(current?.attemptCount).toBe(0);
      await again.deliveries.recordAttempts([aResult(late)], noon + 1);
      expect(await again.deliveries.queueStatus(noon + 1)).toMatchObject({ depth: 1, inFlight: 1 });
      expect(await again.deliveries.releaseDeadLeases(noon + 1)).toBe(0);
    });

    test('the leases of a dead worker are due before what waited in their queue', async () => {
      const store = await queue(4);
      const { id } = await store.deliveries.registerWorker();
      const leased = await leaseAs(store, id, 2);
      const again = await underTest.reopen();
      await releaseDead(again, noon + leaseMs / 2, 2);
      const next = await leaseDue(again, noon + leaseMs / 2, 2);
      expect(next.map((delivery) => delivery.id)).toEqual(leased.map((delivery) => delivery.id));
    });

    test('the leases of a living worker stay, also when another one starts', async () => {
      const { deliveries, ...store } = await queue(1);
      const { id } = await deliveries.registerWorker();
      await leaseAs({ deliveries, ...store }, id);
      await deliveries.registerWorker();
      expect(await deliveries.releaseDeadLeases(noon + 1)).toBe(0);
      await deliveries.resetStaleLeases(noon + 1);
      expect(await deliveries.releaseDeadLeases(noon + 1)).toBe(0);
      expect(await deliveries.nextDueAt()).toBe(noon + leaseMs);
    });

    test('leases without a worker stay', async () => {
      const store = await queue(1);
      await leaseDue(store, noon);
      const again = await underTest.reopen();
      expect(await again.deliveries.releaseDeadLeases(noon + 1)).toBe(0);
      expect(await again.deliveries.nextDueAt()).toBe(noon + leaseMs);
    });

    test('a worker that ends gives back the leases that it still has, and no others', async () => {
      const store = await queue(2);
      const ending = await store.deliveries.registerWorker();
      const living = await store.deliveries.registerWorker();
      const [first] = await leaseAs(store, ending.id, 1);
      await leaseAs(store, living.id, 1);
      await ending.end(noon + 1);
      const due = await leaseDue(store, noon + 1);
      expect(due.map((delivery) => delivery.id)).toEqual([first?.id]);
    });
  });
}
