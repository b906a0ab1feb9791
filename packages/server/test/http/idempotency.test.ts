import type { Order } from '@tradepost/contract';
import type { Listing } from '@tradepost/domain/listings/listing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Actor, getData, getProblem, type Service, startService } from './service';

let service: Service;
let buyer: Actor;
let seller: Actor;
let listing: Listing;

beforeAll(async () => {
  service = await startService();
  seller = await service.account('seller');
});
beforeEach(async () => {
  buyer = await service.account('buyer');
  listing = await service.listing(seller);
});
afterAll(() => service.close());

function order(key: string, quantity = 1, as = buyer) {
  return service.request('POST /v1/orders', {
    as,
    body: { listingId: listing.id, quantity },
    headers: { 'Idempotency-Key': key },
  });
}

async function countOrders(as = buyer): Promise<number> {
  return getData<Order[]>(await service.request('GET /v1/orders', { as })).length;
}

describe('Idempotency-Key', () => {
  it('replays the first response to a repeated request, and marks it', async () => {
    const first = await order('once');
    const again = await order('once');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.status).toBe(201);
    expect(again.text).toBe(first.text);
    for (const name of ['location', 'etag', 'content-type']) {
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    }
    expect(await countOrders()).toBe(1);
  });

  it('treats bodies with the same meaning as equal', async () => {
    const body = `{ "quantity": 1.0,\n "listingId": "${listing.id}" }`;
    const headers = { 'Idempotency-Key': 'spelled' };
    const first = await service.request('POST /v1/orders', { as: buyer, body, headers });
    expect((await order('spelled')).text).toBe(first.text);
  });

  it('keeps the keys of each endpoint apart', async () => {
    await order('both');
    const webhook = await service.request('POST /v1/webhooks', {
      as: buyer,
      body: { url: 'https://receiver.example/', events: ['order.created'] },
      headers: { 'Idempotency-Key': 'both' },
    });
    expect(webhook.status).toBe(201);
    expect(webhook.headers.get('idempotent-replayed')).toBeNull();
  });

  it('rejects a key that was sent with another body', async () => {
    await order('other', 1);
    const problem = getProblem(await order('other', 2));
    expect(problem).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    expect(await countOrders()).toBe(1);
  });

  it.each(['', 'with space', 'x'.repeat(256)])('rejects the key %j', async (key) => {
    const got = await order(key);
    expect(getProblem(got).errors?.[0]?.path).toBe('idempotency-key');
  });
});
