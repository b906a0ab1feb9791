import { retryWindowMs } from '@tradepost/domain/deliveries/delivery';
import { noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import { addEndpoint, enqueueDelivery } from '../../helpers/enqueue';
import { aResult, leaseDue, leaseOne } from '../../helpers/leasing';
import { Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

const deadline = noon + retryWindowMs;

/** Overdue deliveries, above all those of paused endpoints. */
export function describeOverdue(underTest: StoreUnderTest): void {
  describe('with overdue deliveries', () => {
    async function paused(...times: number[]) {
      const trade = await Trade.open(underTest.current);
      const { accountId } = await addEndpoint(trade, { status: 'paused' });
      for (const now of times) await enqueueDelivery(trade, { accountId, now });
      return { trade, accountId, deliveries: trade.store.deliveries };
    }

    test('events during a pause are queued, and wait', async () => {
      const { trade, deliveries } = await paused(noon, noon + 1);
      expect(await leaseDue(trade.store, noon + 1)).toEqual([]);
      expect(await deliveries.nextDueAt()).toBeNull();
      expect(await deliveries.queueStatus(noon + 1)).toEqual({
        depth: 2,
        inFlight: 0,
        oldestDueAt: null,
      });
    });

    test('a paused endpoint does not delay others', async () => {
      const { trade } = await paused(noon);
      const { id, accountId } = await addEndpoint(trade);
      await enqueueDelivery(trade, { accountId });
      expect(await leaseOne(trade.store, noon)).toMatchObject({ webhookId: id });
    });

    test('pending deliveries fail once their deadline has passed, and not before', async () => {
      const { trade, deliveries } = await paused(noon, noon + 1);
      expect(await deliveries.failOverdue({ now: deadline, limit: 10 })).toBe(0);
      expect(await deliveries.failOverdue({ now: deadline + 1, limit: 10 })).toBe(1);
      expect(await deliveries.queueStatus(deadline + 1)).toMatchObject({ depth: 1 });
      expect(await deliveries.failOverdue({ now: deadline + 2, limit: 10 })).toBe(1);
      expect(await deliveries.queueStatus(deadline + 2)).toMatchObject({ depth: 0 });
      expect(await leaseDue(trade.store, deadline + 2)).toEqual([]);
    });

    test('the most overdue deliveries fail first, in batches', async () => {
      const { deliveries } = await paused(noon + 2, noon, noon + 4, noon + 1, noon + 3);
      const left: number[] = [];
      for (const limit of [2, 1, 2, 2]) {
        const failed = await deliveries.failOverdue({ now: deadline + 1_000, limit });
        left.push(failed, (await deliveries.queueStatus(deadline)).depth);
      }
      expect(left).toEqual([2, 3, 1, 2, 2, 0, 0, 0]);
    });

    test('the most overdue deliveries are leased first', async () => {
      const trade = await Trade.open(underTest.current);
      const { accountId } = await addEndpoint(trade);
      for (const now of [noon + 2, noon, noon + 1])
        await enqueueDelivery(trade, { accountId, now });
      const { deliveries } = trade.store;
      expect(await deliveries.failOverdue({ now: deadline + 1_000, limit: 2 })).toBe(2);
      expect(await leaseOne(trade.store, deadline + 1_000)).toMatchObject({ createdAt: noon + 2 });
    });

    test('a leased delivery does not fail', async () => {
      const trade = await Trade.open(underTest.current);
      const { accountId } = await addEndpoint(trade);
      await enqueueDelivery(trade, { accountId });
      const { deliveries } = trade.store;
      const inHand = await leaseOne(trade.store, deadline);
      expect(await deliveries.failOverdue({ now: deadline + 1, limit: 10 })).toBe(0);
      await deliveries.recordAttempts([aResult(inHand)], deadline + 1);
      expect(await deliveries.queueStatus(deadline + 1)).toMatchObject({ depth: 0, inFlight: 0 });
      expect(await deliveries.failOverdue({ now: deadline + 1, limit: 10 })).toBe(0);
    });

    test('deliveries of other endpoints and those before their deadline do not change', async () => {
      const { trade, deliveries } = await paused(noon);
      const { accountId } = await addEndpoint(trade);
      await enqueueDelivery(trade, { accountId, now: noon + 5_000, count: 3 });
      expect(await deliveries.failOverdue({ now: deadline + 1, limit: 10 })).toBe(1);
      expect(await leaseDue(trade.store, noon + 5_000)).toHaveLength(3);
    });

    test('a delivery stays failed after a restart', async () => {
      const { deliveries } = await paused(noon);
      await deliveries.failOverdue({ now: deadline + 1, limit: 10 });
      const again = (await underTest.reopen()).deliveries;
      expect(await again.queueStatus(deadline + 1)).toMatchObject({ depth: 0 });
      expect(await again.failOverdue({ now: deadline + 1, limit: 10 })).toBe(0);
    });
  });
}
