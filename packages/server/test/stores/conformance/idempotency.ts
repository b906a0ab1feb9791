import type { IdempotencyKey, IdempotentResult } from '@tradepost/domain/kernel/idempotency';
import type { Order } from '@tradepost/domain/orders/order';
import { aContext, anIdempotencyKey, aWebhook, noon } from '@tradepost/domain/test/builders';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import { describe, expect, test } from 'vitest';
import { place, Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

const registered = { status: 201, headers: { Location: '/v1/webhooks/whk_1' } };

/** Registers a webhook with an idempotency key, and counts the decisions. */
async function register(
  { store, buyer }: Trade,
  idempotencyKey: IdempotencyKey | null,
  now = noon,
): Promise<IdempotentResult<typeof registered & { body: Webhook }> & { decided: number }> {
  let decided = 0;
  const request = { accountId: buyer.accountId, idempotencyKey, context: aContext(now) };
  const result = await store.webhooks.addWebhook(request, () => {
    decided += 1;
    const webhook = aWebhook({ accountId: buyer.accountId });
    return { webhook, response: { ...registered, body: webhook } };
  });
  return { ...result, decided };
}

async function listOrders({ store, buyer }: Trade): Promise<Order[]> {
  return store.orders.listOrders(buyer, {}, { after: null, limit: 100 });
}

/** Idempotency keys: one effect and one response for each. */
export function describeIdempotency(underTest: StoreUnderTest): void {
  describe('with idempotency keys', () => {
    async function openTrade() {
      const trade = await Trade.open(underTest.current);
      const { listing, buyer, store } = trade;
      const idempotencyKey = anIdempotencyKey({ accountId: buyer.accountId });
      const placeOn = (own: IdempotencyKey | null, now = noon, quantity = 10) =>
        place(store, buyer, { listing, idempotencyKey: own, now, quantity });
      return { trade, idempotencyKey, placeOn };
    }

    test('a repeated order gets the first response and is placed once', async () => {
      const { trade, idempotencyKey, placeOn } = await openTrade();
      await trade.subscribe(trade.buyer, ['order.created']);
      const first = await placeOn(idempotencyKey);
      const again = await placeOn(idempotencyKey, noon + 1);
      expect(first.replayed).toBe(false);
      expect(again).toEqual({ order: first.order, replayed: true });
      expect(await listOrders(trade)).toEqual([first.order]);
      expect(await trade.unitsLeft()).toBe(990);
      const request = { now: noon + 2, leaseUntil: noon + 3, leaseToken: 'reader', limit: 10 };
      expect(await trade.store.deliveries.leaseDue(request)).toHaveLength(1);
    });

    test('a repeated order gets the first response even when it has changed since, and nothing is left of the listing', async () => {
      const { trade, idempotencyKey, placeOn } = await openTrade();
      const first = await placeOn(idempotencyKey, noon, 1_000);
      await trade.move(first.order, 'fulfilling');
      expect(await placeOn(idempotencyKey, noon, 1_000)).toEqual({
        order: first.order,
        replayed: true,
      });
    });

    test('a repeated registration gets the first response, with headers and secret, and is decided once', async () => {
      const { trade, idempotencyKey } = await openTrade();
      const first = await register(trade, idempotencyKey);
      const again = await register(trade, idempotencyKey);
      expect([first.decided, again.decided]).toEqual([1, 0]);
      expect(again).toEqual({ response: first.response, replayed: true, decided: 0 });
      await trade.place();
      const request = { now: noon, leaseUntil: noon + 1, leaseToken: 'reader', limit: 10 };
      expect(await trade.store.deliveries.leaseDue(request)).toHaveLength(1);
    });

    test('a key with another body is rejected, and keeps the first response', async () => {
      const { trade, idempotencyKey, placeOn } = await openTrade();
      const first = await placeOn(idempotencyKey);
      const other = { ...idempotencyKey, fingerprint: 'another' };
      await expect(placeOn(other)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
      expect(await listOrders(trade)).toHaveLength(1);
      expect(await placeOn(idempotencyKey)).toEqual({ order: first.order, replayed: true });
    });

    test('the same key of another account, or for another operation, is another key', async () => {
      const { trade, idempotencyKey, placeOn } = await openTrade();
      const other = await Trade.open(underTest.current);
      await placeOn(idempotencyKey);
      const ofOther = {
        ...idempotencyKey,
        accountId: other.buyer.accountId,
        fingerprint: 'another',
      };
      const theirs = await place(trade.store, other.buyer, {
        listing: other.listing,
        idempotencyKey: ofOther,
      });
      expect(theirs.replayed).toBe(false);
      const toRegister = { ...idempotencyKey, operation: 'createWebhook', fingerprint: 'another' };
      expect(await register(trade, toRegister)).toMatchObject({ replayed: false });
      expect(await placeOn({ ...idempotencyKey, key: 'another' })).toMatchObject({
        replayed: false,
      });
      expect(await placeOn(idempotencyKey)).toMatchObject({ replayed: true });
    });

    test('requests without a key each have an effect', async () => {
      const { trade, placeOn } = await openTrade();
      const orders = [await placeOn(null), await placeOn(null)];
      expect(orders.map(({ replayed }) => replayed)).toEqual([false, false]);
      expect(await listOrders(trade)).toHaveLength(2);
    });

    test('a key is stored until it expires, and is then free for a new request', async () => {
      const { trade, idempotencyKey, placeOn } = await openTrade();
      const { expiresAt } = idempotencyKey;
      const first = await placeOn(idempotencyKey);
      expect(await placeOn(idempotencyKey, expiresAt - 1)).toMatchObject({ replayed: true });
      const renewed = { ...idempotencyKey, fingerprint: 'another', expiresAt: expiresAt + 1_000 };
      const second = await placeOn(renewed, expiresAt);
      expect(second.replayed).toBe(false);
      expect(second.order.id).not.toBe(first.order.id);
      expect(await placeOn(renewed, expiresAt + 999)).toEqual({
        order: second.order,
        replayed: true,
      });
      expect(await listOrders(trade)).toHaveLength(2);
    });

    test('of many requests with one key at once, one has an effect and all get its response', async () => {
      const { trade, idempotencyKey, placeOn } = await openTrade();
      const all = await Promise.all(Array.from({ length: 12 }, () => placeOn(idempotencyKey)));
      const [placed, ...more] = await listOrders(trade);
      expect(more).toEqual([]);
      expect(all.map(({ order }) => order)).toEqual(all.map(() => placed));
      expect(all.filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(await trade.unitsLeft()).toBe(990);
    });

    test('a rejected request stores nothing: the same key may be used again, with another body too', async () => {
      const { trade, idempotencyKey, placeOn } = await openTrade();
      const rejected = placeOn(idempotencyKey, noon, 1_001);
      await expect(rejected).rejects.toMatchObject({ code: 'insufficient_quantity' });
      const retried = await placeOn({ ...idempotencyKey, fingerprint: 'another' });
      expect(retried.replayed).toBe(false);
      expect(await listOrders(trade)).toEqual([retried.order]);
    });
  });
}
