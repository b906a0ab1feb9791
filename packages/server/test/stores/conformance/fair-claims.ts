import { describe, expect, test } from 'vitest';
import { type ClaimedDelivery, leaseTime } from '../../../src/deliveries/delivery';
import type { Webhook } from '../../../src/webhooks/webhook';
import { anAttempt, noon } from '../../builders';
import { claim, delivered, interrupted, outcomeOf, refused } from '../claiming';
import { addEndpoint, queueUp } from '../queue-up';
import { Trade } from '../trade';
import type { StoreUnderTest } from './store-under-test';

/** How many deliveries each webhook has among these. */
function shares(deliveries: ClaimedDelivery[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { webhookId } of deliveries) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1);
  return counts;
}

/** What a claim takes from which endpoint: its fair share, and no more than the endpoint is allowed at once. */
export function describeFairClaims(underTest: StoreUnderTest): void {
  describe('fair claims', () => {
    /** Endpoints of accounts of their own, with this many deliveries queued for each. */
    async function endpoints(...counts: number[]) {
      const trade = await Trade.open(underTest.current);
      const webhooks: Webhook[] = [];
      for (const count of counts) {
        const webhook = await addEndpoint(trade);
        webhooks.push(webhook);
        await queueUp(trade, { accountId: webhook.accountId, count });
      }
      return { trade, store: trade.store, webhooks, ids: webhooks.map(({ id }) => id) };
    }

    test('an endpoint with 10,000 due has its share of a claim, and those with one have theirs', async () => {
      const { store, ids } = await endpoints(10_000, ...Array.from({ length: 9 }, () => 1));
      const claimed = await claim(store, noon, 10);
      expect([...shares(claimed).keys()].sort()).toEqual(ids.sort());
      expect(claimed).toHaveLength(10);
    }, 20_000);

    test('a share that one endpoint has no use for is no loss: the next claim hands it out', async () => {
      const { store, ids } = await endpoints(3, 1);
      const [large = '', small = ''] = ids;
      expect(shares(await claim(store, noon, 2))).toEqual(
        new Map([
          [large, 1],
          [small, 1],
        ]),
      );
      expect(shares(await claim(store, noon, 2))).toEqual(new Map([[large, 2]]));
    });

    test('of more endpoints than a claim has room for, those come first that waited longest, and then the others', async () => {
      const trade = await Trade.open(underTest.current);
      const ids: string[] = [];
      for (let count = 0; count < 9; count += 1) {
        const { id, accountId } = await addEndpoint(trade);
        // Made first and due last: the order of ids must not decide.
        ids.unshift(id);
        await queueUp(trade, { accountId, count: 3, now: noon - count });
      }
      const turns: string[][] = [];
      for (let turn = 0; turn < 6; turn += 1) {
        const claimed = await claim(trade.store, noon + turn, 3);
        turns.push(claimed.map(({ webhookId }) => webhookId));
      }
      const round = [ids.slice(0, 3), ids.slice(3, 6), ids.slice(6, 9)];
      expect(turns.slice(0, 3)).toEqual(round);
      expect(turns.slice(3).map((turn) => turn.sort())).toEqual(round.map((turn) => turn.sort()));
    });

    test('a claim takes more from fewer of many endpoints, and goes on with the others', async () => {
      const trade = await Trade.open(underTest.current);
      const { accountId } = trade.buyer;
      for (let count = 0; count < 20; count += 1) {
        await trade.subscribe(trade.buyer, ['order.created']);
      }
      await queueUp(trade, { accountId, count: 6 });
      const counts = new Map<string, number>();
      for (let turn = 0; turn < 3; turn += 1) {
        const claimed = await claim(trade.store, noon + turn, 32);
        expect(claimed.length).toBeLessThanOrEqual(32);
        for (const [id, count] of shares(claimed)) counts.set(id, (counts.get(id) ?? 0) + count);
      }
      // All were served before anybody had twice as much as another, and all is handed out that may be.
      expect([...counts.values()]).toEqual(Array(20).fill(4));
    });

    test('endpoints with one each are all served by as few claims as it takes', async () => {
      const trade = await Trade.open(underTest.current);
      const { accountId } = trade.buyer;
      for (let count = 0; count < 20; count += 1)
        await trade.subscribe(trade.buyer, ['order.created']);
      await queueUp(trade, { accountId, count: 1 });
      const served = new Set<string>();
      for (let count = 0; count < 3; count += 1) {
        for (const { webhookId } of await claim(trade.store, noon, 7)) served.add(webhookId);
      }
      expect(served.size).toBe(20);
      expect(await claim(trade.store, noon)).toEqual([]);
    });

    test('an endpoint that nothing is known of has four at once, however many workers claim', async () => {
      const { store } = await endpoints(20);
      const claims = await Promise.all([1, 2, 3].map(() => claim(store, noon)));
      expect(claims.flat()).toHaveLength(4);
      expect(await claim(store, noon)).toEqual([]);
      expect(await store.deliveries.nextDueAt()).toBe(noon + leaseTime);
    });

    test('each success makes room for its own successor and for one more, up to 32 at once', async () => {
      const { store } = await endpoints(700);
      let inHand = await claim(store, noon);
      const sizes = [inHand.length];
      while (inHand.length < 32) {
        const [first, ...others] = inHand;
        if (first === undefined) throw new Error('some are in hand');
        await store.deliveries.recordAttempts([delivered(first, noon)], noon + 10);
        inHand = [...others, ...(await claim(store, noon + 10))];
        sizes.push(inHand.length);
      }
      expect(sizes).toEqual(Array.from({ length: 29 }, (_, index) => 4 + index));
      await store.deliveries.recordAttempts(
        inHand.map((one) => delivered(one, noon)),
        noon + 10,
      );
      expect(await claim(store, noon + 10)).toHaveLength(32);
    });

    test('a round of failure halves what is allowed, and what is under way counts towards it', async () => {
      const { store } = await endpoints(20);
      const [first, second, third, fourth] = await claim(store, noon);
      if (!(first && second && third && fourth)) throw new Error('four are in hand');
      const record = async (...outcomes: Parameters<typeof refused>[0][]) =>
        store.deliveries.recordAttempts(
          outcomes.map((one) => refused(one, noon)),
          noon + 10,
        );
      await record(first, second);
      expect(await claim(store, noon + 10)).toEqual([]);
      await record(third);
      expect(await claim(store, noon + 10)).toHaveLength(1);
      await record(fourth);
      expect(await claim(store, noon + 10)).toHaveLength(1);
      expect(await claim(store, noon + 10)).toEqual([]);
    });

    test('an attempt that the server broke off frees its place and is held against nobody', async () => {
      const { store } = await endpoints(20);
      const inHand = await claim(store, noon);
      await store.deliveries.recordAttempts(
        inHand.map((one) => interrupted(one, noon + 5)),
        noon + 5,
      );
      expect(await claim(store, noon + 5)).toHaveLength(4);
    });

    test('leases that end free their places; late outcomes of theirs free none and tell nothing', async () => {
      const { store } = await endpoints(20);
      const late = await claim(store, noon);
      const later = noon + leaseTime;
      expect(await claim(store, later - 1)).toEqual([]);
      expect(await claim(store, later)).toHaveLength(4);
      await store.deliveries.recordAttempts(
        late.map((one) => delivered(one, noon)),
        later,
      );
      expect(await claim(store, later)).toEqual([]);
      expect(await store.deliveries.queueStatus(later)).toMatchObject({ depth: 20, inFlight: 4 });
    });

    test('claims that a crash left behind hold up nothing else once a worker starts anew', async () => {
      const { store } = await endpoints(20);
      const left = await claim(store, noon);
      expect(await claim(store, noon + 1)).toEqual([]);
      await store.deliveries.beginAnew(noon + 2);
      expect(await store.deliveries.nextDueAt()).toBe(noon + 2);
      const next = await claim(store, noon + 2);
      expect(next).toHaveLength(4);
      const ids = new Set([...left, ...next].map(({ id }) => id));
      expect(ids.size).toBe(8);
    });

    test('claims of before a start stand until their leases end, and their outcomes count', async () => {
      const { store } = await endpoints(5);
      const [told, untold] = await claim(store, noon);
      if (!(told && untold)) throw new Error('four are due');
      await store.deliveries.beginAnew(noon + 2);
      expect(await claim(store, noon + 2)).toHaveLength(1);
      await store.deliveries.recordAttempts([delivered(told, noon)], noon + 10);
      expect(await store.deliveries.queueStatus(noon + 10)).toMatchObject({
        depth: 4,
        inFlight: 1,
      });
      expect(await claim(store, noon + leaseTime - 1)).toEqual([]);
      const again = await claim(store, noon + leaseTime);
      expect(again.map(({ id }) => id)).toContain(untold.id);
      expect(again).toHaveLength(3);
    });

    test('a start in an empty store changes nothing', async () => {
      const { deliveries } = underTest.current;
      await deliveries.beginAnew(noon);
      expect(await deliveries.nextDueAt()).toBeNull();
    });

    test('what one endpoint does changes nothing for another', async () => {
      const { store, ids } = await endpoints(100, 100);
      const [failing = '', healthy = ''] = ids;
      for (let round = 0; round < 4; round += 1) {
        const now = noon + round * 1_000;
        const claimed = await claim(store, now);
        const outcomes = claimed.map((one) =>
          one.webhookId === failing ? refused(one, now) : delivered(one, now),
        );
        await store.deliveries.recordAttempts(outcomes, now + 10);
      }
      expect(shares(await claim(store, noon + 4_000))).toEqual(
        new Map([
          [failing, 1],
          [healthy, 32],
        ]),
      );
    });

    test('the longest due of an endpoint come first, those to be tried again among the new ones', async () => {
      const { store, trade, webhooks } = await endpoints(1);
      const [again] = await claim(store, noon);
      if (again === undefined) throw new Error('one is due');
      const attempt = anAttempt({ status: 500 });
      const due = { attempt, state: 'pending', nextAttemptAt: noon + 5_000 } as const;
      await store.deliveries.recordAttempts([outcomeOf(again, due)], noon);
      const accountId = webhooks[0]?.accountId ?? '';
      await queueUp(trade, { accountId, now: noon + 5_001 });
      await queueUp(trade, { accountId, now: noon + 4_999 });
      const [first] = await claim(store, noon + 6_000, 1);
      const [second] = await claim(store, noon + 6_000, 1);
      expect([first?.createdAt, second?.id]).toEqual([noon + 4_999, again.id]);
    });
  });
}
