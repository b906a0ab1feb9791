import { type LeasedDelivery, leaseMs } from '@tradepost/domain/deliveries/delivery';
import { anAttempt, noon } from '@tradepost/domain/test/builders';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import { describe, expect, test } from 'vitest';
import { addEndpoint, enqueueDelivery } from '../../helpers/enqueue';
import {
  aResult,
  deliveredResult,
  interruptedResult,
  leaseDue,
  rejectedResult,
} from '../../helpers/leasing';
import { Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

/** Counts deliveries by webhook. */
function shares(deliveries: LeasedDelivery[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { webhookId } of deliveries) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1);
  return counts;
}

/** Fair leases: a request leases a fair share of each endpoint, within the endpoint's concurrency limit. */
export function describeFairLeases(underTest: StoreUnderTest): void {
  describe('with fair leases', () => {
    /** Creates endpoints, each of its own account, with this many queued deliveries. */
    async function endpoints(...counts: number[]) {
      const trade = await Trade.open(underTest.current);
      const webhooks: Webhook[] = [];
      for (const count of counts) {
        const webhook = await addEndpoint(trade);
        webhooks.push(webhook);
        await enqueueDelivery(trade, { accountId: webhook.accountId, count });
      }
      return { trade, store: trade.store, webhooks, ids: webhooks.map(({ id }) => id) };
    }

    test('an endpoint with 10,000 due deliveries gets its share, and those with one get theirs', async () => {
      const { store, ids } = await endpoints(10_000, ...Array.from({ length: 9 }, () => 1));
      const leased = await leaseDue(store, noon, 10);
      expect([...shares(leased).keys()].sort()).toEqual(ids.sort());
      expect(leased).toHaveLength(10);
    }, 20_000);

    test('a share that one endpoint does not need is not lost: the next request leases it', async () => {
      const { store, ids } = await endpoints(3, 1);
      const [large = '', small = ''] = ids;
      expect(shares(await leaseDue(store, noon, 2))).toEqual(
        new Map([
          [large, 1],
          [small, 1],
        ]),
      );
      expect(shares(await leaseDue(store, noon, 2))).toEqual(new Map([[large, 2]]));
    });

    test('the endpoints that waited longest come first, if there are more than fit into a request', async () => {
      const trade = await Trade.open(underTest.current);
      const ids: string[] = [];
      for (let count = 0; count < 9; count += 1) {
        const { id, accountId } = await addEndpoint(trade);
        // Created first and due last: the order of IDs must not matter.
        ids.unshift(id);
        await enqueueDelivery(trade, { accountId, count: 3, now: noon - count });
      }
      const priority: string[][] = [];
      for (let turn = 0; turn < 6; turn += 1) {
        const leased = await leaseDue(trade.store, noon + turn, 3);
        priority.push(leased.map(({ webhookId }) => webhookId));
      }
      const round = [ids.slice(0, 3), ids.slice(3, 6), ids.slice(6, 9)];
      expect(priority.slice(0, 3)).toEqual(round);
      expect(priority.slice(3).map((turn) => turn.sort())).toEqual(
        round.map((turn) => turn.sort()),
      );
    });

    test('a request leases more from fewer of many endpoints, and continues with the others', async () => {
      const trade = await Trade.open(underTest.current);
      const { accountId } = trade.buyer;
      for (let count = 0; count < 20; count += 1) {
        await trade.subscribe(trade.buyer, ['order.created']);
      }
      await enqueueDelivery(trade, { accountId, count: 6 });
      const counts = new Map<string, number>();
      for (let turn = 0; turn < 3; turn += 1) {
        const leased = await leaseDue(trade.store, noon + turn, 32);
        expect(leased.length).toBeLessThanOrEqual(32);
        for (const [id, count] of shares(leased)) counts.set(id, (counts.get(id) ?? 0) + count);
      }
      // All endpoints were served fairly, and every allowed delivery was leased.
      expect([...counts.values()]).toEqual(Array(20).fill(4));
    });

    test('endpoints with one delivery each are all served by as few requests as possible', async () => {
      const trade = await Trade.open(underTest.current);
      const { accountId } = trade.buyer;
      for (let count = 0; count < 20; count += 1)
        await trade.subscribe(trade.buyer, ['order.created']);
      await enqueueDelivery(trade, { accountId, count: 1 });
      const served = new Set<string>();
      for (let count = 0; count < 3; count += 1) {
        for (const { webhookId } of await leaseDue(trade.store, noon, 7)) served.add(webhookId);
      }
      expect(served.size).toBe(20);
      expect(await leaseDue(trade.store, noon)).toEqual([]);
    });

    test('an endpoint without attempts has four at once, however many workers lease', async () => {
      const { store } = await endpoints(20);
      const leaseCounts = await Promise.all([1, 2, 3].map(() => leaseDue(store, noon)));
      expect(leaseCounts.flat()).toHaveLength(4);
      expect(await leaseDue(store, noon)).toEqual([]);
      expect(await store.deliveries.nextDueAt()).toBe(noon + leaseMs);
    });

    test('each success raises the concurrency limit by one, up to 32', async () => {
      const { store } = await endpoints(700);
      let inHand = await leaseDue(store, noon);
      const sizes = [inHand.length];
      while (inHand.length < 32) {
        const [first, ...others] = inHand;
        if (first === undefined) throw new Error('some are in hand');
        await store.deliveries.recordAttempts([deliveredResult(first, noon)], noon + 10);
        inHand = [...others, ...(await leaseDue(store, noon + 10))];
        sizes.push(inHand.length);
      }
      expect(sizes).toEqual(Array.from({ length: 29 }, (_, index) => 4 + index));
      await store.deliveries.recordAttempts(
        inHand.map((one) => deliveredResult(one, noon)),
        noon + 10,
      );
      expect(await leaseDue(store, noon + 10)).toHaveLength(32);
    });

    test('a round of failures halves the concurrency limit, and what is in flight counts towards it', async () => {
      const { store } = await endpoints(20);
      const [first, second, third, fourth] = await leaseDue(store, noon);
      if (!(first && second && third && fourth)) throw new Error('four are in hand');
      const record = async (...outcomes: Parameters<typeof rejectedResult>[0][]) =>
        store.deliveries.recordAttempts(
          outcomes.map((one) => rejectedResult(one, noon)),
          noon + 10,
        );
      await record(first, second);
      expect(await leaseDue(store, noon + 10)).toEqual([]);
      await record(third);
      expect(await leaseDue(store, noon + 10)).toHaveLength(1);
      await record(fourth);
      expect(await leaseDue(store, noon + 10)).toHaveLength(1);
      expect(await leaseDue(store, noon + 10)).toEqual([]);
    });

    test('an attempt that the shutdown interrupted frees its slot and is not a failure', async () => {
      const { store } = await endpoints(20);
      const inHand = await leaseDue(store, noon);
      await store.deliveries.recordAttempts(
        inHand.map((one) => interruptedResult(one, noon + 5)),
        noon + 5,
      );
      expect(await leaseDue(store, noon + 5)).toHaveLength(4);
    });

    test('leases that end free their slots; their late results have no effect', async () => {
      const { store } = await endpoints(20);
      const late = await leaseDue(store, noon);
      const later = noon + leaseMs;
      expect(await leaseDue(store, later - 1)).toEqual([]);
      expect(await leaseDue(store, later)).toHaveLength(4);
      await store.deliveries.recordAttempts(
        late.map((one) => deliveredResult(one, noon)),
        later,
      );
      expect(await leaseDue(store, later)).toEqual([]);
      expect(await store.deliveries.queueStatus(later)).toMatchObject({ depth: 20, inFlight: 4 });
    });

    test('leases that a crash left behind do not delay others once a worker starts again', async () => {
      const { store } = await endpoints(20);
      const left = await leaseDue(store, noon);
      expect(await leaseDue(store, noon + 1)).toEqual([]);
      await store.deliveries.resetStaleLeases(noon + 2);
      expect(await store.deliveries.nextDueAt()).toBe(noon + 2);
      const next = await leaseDue(store, noon + 2);
      expect(next).toHaveLength(4);
      const ids = new Set([...left, ...next].map(({ id }) => id));
      expect(ids.size).toBe(8);
    });

    test('leases from before a start last until they end, and their results count', async () => {
      const { store } = await endpoints(5);
      const [first, second] = await leaseDue(store, noon);
      if (!(first && second)) throw new Error('four are due');
      await store.deliveries.resetStaleLeases(noon + 2);
      expect(await leaseDue(store, noon + 2)).toHaveLength(1);
      await store.deliveries.recordAttempts([deliveredResult(first, noon)], noon + 10);
      expect(await store.deliveries.queueStatus(noon + 10)).toMatchObject({
        depth: 4,
        inFlight: 1,
      });
      expect(await leaseDue(store, noon + leaseMs - 1)).toEqual([]);
      const again = await leaseDue(store, noon + leaseMs);
      expect(again.map(({ id }) => id)).toContain(second.id);
      expect(again).toHaveLength(3);
    });

    test('a start in an empty store changes nothing', async () => {
      const { deliveries } = underTest.current;
      await deliveries.resetStaleLeases(noon);
      expect(await deliveries.nextDueAt()).toBeNull();
    });

    test('an endpoint does not affect another', async () => {
      const { store, ids } = await endpoints(100, 100);
      const [failing = '', healthy = ''] = ids;
      for (let round = 0; round < 4; round += 1) {
        const now = noon + round * 1_000;
        const leased = await leaseDue(store, now);
        const outcomes = leased.map((one) =>
          one.webhookId === failing ? rejectedResult(one, now) : deliveredResult(one, now),
        );
        await store.deliveries.recordAttempts(outcomes, now + 10);
      }
      expect(shares(await leaseDue(store, noon + 4_000))).toEqual(
        new Map([
          [failing, 1],
          [healthy, 32],
        ]),
      );
    });

    test('the deliveries of an endpoint that are due longest come first, retries among new ones', async () => {
      const { store, trade, webhooks } = await endpoints(1);
      const [again] = await leaseDue(store, noon);
      if (again === undefined) throw new Error('one is due');
      const attempt = anAttempt({ status: 500 });
      const due = { attempt, state: 'pending', nextAttemptAt: noon + 5_000 } as const;
      await store.deliveries.recordAttempts([aResult(again, due)], noon);
      const accountId = webhooks[0]?.accountId ?? '';
      await enqueueDelivery(trade, { accountId, now: noon + 5_001 });
      await enqueueDelivery(trade, { accountId, now: noon + 4_999 });
      const [first] = await leaseDue(store, noon + 6_000, 1);
      const [second] = await leaseDue(store, noon + 6_000, 1);
      expect([first?.createdAt, second?.id]).toEqual([noon + 4_999, again.id]);
    });
  });
}
