import { describe, expect, test } from 'vitest';
import type { Answered, IdempotencyClaim } from '../../../src/idempotency-claim';
import type { Order } from '../../../src/orders/order';
import type { Webhook } from '../../../src/webhooks/webhook';
import { aClaim, aMoment, aWebhook, noon } from '../../builders';
import { place, Trade } from '../trade';
import type { StoreUnderTest } from './store-under-test';

const registered = { status: 201, headers: { Location: '/v1/webhooks/whk_1' } };

/** Registers a webhook under a claim, and tells how often that was decided. */
async function register(
  { store, buyer }: Trade,
  claim: IdempotencyClaim | null,
  now = noon,
): Promise<Answered<typeof registered & { body: Webhook }> & { decided: number }> {
  let decided = 0;
  const request = { accountId: buyer.accountId, claim, moment: aMoment(now) };
  const answered = await store.webhooks.addWebhook(request, () => {
    decided += 1;
    const webhook = aWebhook({ accountId: buyer.accountId });
    return { webhook, answer: { ...registered, body: webhook } };
  });
  return { ...answered, decided };
}

async function ordersOf({ store, buyer }: Trade): Promise<Order[]> {
  return store.orders.listOrders(buyer, {}, { after: null, limit: 100 });
}

/** Claims on idempotency keys: one effect and one answer for each. */
export function describeIdempotency(underTest: StoreUnderTest): void {
  describe('idempotency', () => {
    async function openTrade() {
      const trade = await Trade.open(underTest.current);
      const { listing, buyer, store } = trade;
      const claim = aClaim({ accountId: buyer.accountId });
      const placeOn = (own: IdempotencyClaim | null, now = noon, quantity = 10) =>
        place(store, buyer, { listing, claim: own, now, quantity });
      return { trade, claim, placeOn };
    }

    test('a repeated order is answered as the first time and placed once', async () => {
      const { trade, claim, placeOn } = await openTrade();
      await trade.subscribe(trade.buyer, ['order.created']);
      const first = await placeOn(claim);
      const again = await placeOn(claim, noon + 1);
      expect(first.replayed).toBe(false);
      expect(again).toEqual({ order: first.order, replayed: true });
      expect(await ordersOf(trade)).toEqual([first.order]);
      expect(await trade.unitsLeft()).toBe(990);
      const request = { now: noon + 2, leaseUntil: noon + 3, token: 'look', limit: 10 };
      expect(await trade.store.deliveries.claimDue(request)).toHaveLength(1);
    });

    test('a repeated order is answered as the first time even when it has changed since, and nothing is left of the listing', async () => {
      const { trade, claim, placeOn } = await openTrade();
      const first = await placeOn(claim, noon, 1_000);
      await trade.move(first.order, 'fulfilling');
      expect(await placeOn(claim, noon, 1_000)).toEqual({ order: first.order, replayed: true });
    });

    test('a repeated registration is answered as the first time, headers and secret included, and decided once', async () => {
      const { trade, claim } = await openTrade();
      const first = await register(trade, claim);
      const again = await register(trade, claim);
      expect([first.decided, again.decided]).toEqual([1, 0]);
      expect(again).toEqual({ answer: first.answer, replayed: true, decided: 0 });
      await trade.place();
      const request = { now: noon, leaseUntil: noon + 1, token: 'look', limit: 10 };
      expect(await trade.store.deliveries.claimDue(request)).toHaveLength(1);
    });

    test('a key that comes with another body is refused, and keeps the answer of the first', async () => {
      const { trade, claim, placeOn } = await openTrade();
      const first = await placeOn(claim);
      const other = { ...claim, fingerprint: 'another' };
      await expect(placeOn(other)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
      expect(await ordersOf(trade)).toHaveLength(1);
      expect(await placeOn(claim)).toEqual({ order: first.order, replayed: true });
    });

    test('the same key of another account, or for another operation, is another claim', async () => {
      const { trade, claim, placeOn } = await openTrade();
      const other = await Trade.open(underTest.current);
      await placeOn(claim);
      const ofOther = { ...claim, accountId: other.buyer.accountId, fingerprint: 'another' };
      const theirs = await place(trade.store, other.buyer, {
        listing: other.listing,
        claim: ofOther,
      });
      expect(theirs.replayed).toBe(false);
      const toRegister = { ...claim, operation: 'createWebhook', fingerprint: 'another' };
      expect(await register(trade, toRegister)).toMatchObject({ replayed: false });
      expect(await placeOn({ ...claim, key: 'another' })).toMatchObject({ replayed: false });
      expect(await placeOn(claim)).toMatchObject({ replayed: true });
    });

    test('requests without a key are each carried out', async () => {
      const { trade, placeOn } = await openTrade();
      const orders = [await placeOn(null), await placeOn(null)];
      expect(orders.map(({ replayed }) => replayed)).toEqual([false, false]);
      expect(await ordersOf(trade)).toHaveLength(2);
    });

    test('a key is kept until it expires, and is then free for a new request, which is kept in turn', async () => {
      const { trade, claim, placeOn } = await openTrade();
      const { expiresAt } = claim;
      const first = await placeOn(claim);
      expect(await placeOn(claim, expiresAt - 1)).toMatchObject({ replayed: true });
      const anew = { ...claim, fingerprint: 'another', expiresAt: expiresAt + 1_000 };
      const second = await placeOn(anew, expiresAt);
      expect(second.replayed).toBe(false);
      expect(second.order.id).not.toBe(first.order.id);
      expect(await placeOn(anew, expiresAt + 999)).toEqual({ order: second.order, replayed: true });
      expect(await ordersOf(trade)).toHaveLength(2);
    });

    test('of many requests with one key at once, one has an effect and all have its answer', async () => {
      const { trade, claim, placeOn } = await openTrade();
      const all = await Promise.all(Array.from({ length: 12 }, () => placeOn(claim)));
      const [placed, ...more] = await ordersOf(trade);
      expect(more).toEqual([]);
      expect(all.map(({ order }) => order)).toEqual(all.map(() => placed));
      expect(all.filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(await trade.unitsLeft()).toBe(990);
    });

    test('a refused request keeps nothing: the same key may be tried again, with another body too', async () => {
      const { trade, claim, placeOn } = await openTrade();
      const refused = placeOn(claim, noon, 1_001);
      await expect(refused).rejects.toMatchObject({ code: 'insufficient_quantity' });
      const retried = await placeOn({ ...claim, fingerprint: 'another' });
      expect(retried.replayed).toBe(false);
      expect(await ordersOf(trade)).toEqual([retried.order]);
    });

    test('a registration that is refused keeps nothing', async () => {
      const { trade, claim } = await openTrade();
      const request = { accountId: trade.buyer.accountId, claim, moment: aMoment() };
      const refused = trade.store.webhooks.addWebhook(request, () => {
        throw new Error('not this one');
      });
      await expect(refused).rejects.toThrow('not this one');
      expect(await register(trade, claim)).toMatchObject({ replayed: false, decided: 1 });
    });
  });
}
