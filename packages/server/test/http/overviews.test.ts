import type { OrderTimeline, Summary } from '@tradepost/contract';
import { noon } from '@tradepost/domain/test/builders';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { respond } from '../helpers/receiver';
import { DeliveringService } from './delivering-service';
import { type Actor, getData, getProblem } from './service';

let harness: DeliveringService;

beforeEach(async () => {
  harness = await DeliveringService.start();
});
afterEach(() => harness.close());

const get = (path: string, as: Actor) => harness.service.request(`GET ${path}`, { as });

describe('GET /v1/orders/:id/timeline', () => {
  it('returns the trail from each change to the attempts, and the version of the order', async () => {
    const { service, buyer, seller } = harness;
    const { webhook } = await harness.hook(respond(204));
    const order = await harness.placeAndRecord();
    const body = { status: 'confirmed', reason: 'The buyer has paid.' };
    await service.request(`PATCH /v1/orders/${order.id}`, { as: seller, body });
    const response = await get(`/v1/orders/${order.id}/timeline`, buyer);
    expect(response.status, response.text).toBe(200);
    expect(response.headers.get('Tradepost-Order-Version')).toBe('2');
    const { entries, prunedBefore } = getData<OrderTimeline>(response);
    expect(prunedBefore).toBeNull();
    expect(entries[0]).toMatchObject({
      change: { from: null, to: 'pending', actor: { accountId: buyer.id, kind: 'buyer' } },
      event: { type: 'order.created', createdAt: new Date(noon).toISOString() },
      notification: { read: false },
      deliveries: [{ webhookId: webhook.id, attemptCount: 1, attempts: [{ number: 1 }] }],
    });
    expect(response.text).not.toMatch(/"(headers|body|responseSnippet)"/);
    expect(entries.find(({ change }) => change?.to === 'confirmed')?.change).toEqual({
      from: 'pending',
      to: 'confirmed',
      reason: 'The buyer has paid.',
      actor: { accountId: seller.id, kind: 'seller' },
    });
    const ofSeller = getData<OrderTimeline>(await get(`/v1/orders/${order.id}/timeline`, seller));
    expect(ofSeller.entries.flatMap(({ deliveries }) => deliveries)).toEqual([]);
    expect(ofSeller.entries[0]?.notification?.id).not.toBe(entries[0]?.notification?.id);
  });

  it('does not find an order of others, or none', async () => {
    const order = await harness.place();
    const stranger = await harness.service.account('buyer');
    for (const id of [order.id, 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH']) {
      const response = await get(`/v1/orders/${id}/timeline`, stranger);
      expect(getProblem(response)).toMatchObject({ status: 404, code: 'order_not_found' });
    }
  });
});

describe('GET /v1/summary', () => {
  const summarize = async (as: Actor) => getData<Summary>(await get('/v1/summary', as));

  it('counts for each account what it sees, and counts again after 5 s', async () => {
    const { buyer, seller, clock } = harness;
    await harness.hook(respond(204));
    await harness.place();
    const first = await summarize(buyer);
    const none = { count: 0, atLeast: false };
    expect(first).toEqual({
      asOf: new Date(noon).toISOString(),
      orders: {
        pending: { count: 1, atLeast: false },
        confirmed: none,
        fulfilling: none,
        completed: none,
        cancelled: none,
      },
      unread: { count: 2, atLeast: false },
      webhooks: { active: 1, paused: 0, disabled: 0, backoff: 0 },
    });
    await harness.place();
    await clock.advance(4_999);
    expect(await summarize(buyer)).toEqual(first);
    expect((await summarize(seller)).orders.pending.count).toBe(2);
    await clock.advance(1);
    expect(await summarize(buyer)).toMatchObject({
      asOf: new Date(noon + 5_000).toISOString(),
      orders: { pending: { count: 2 } },
    });
  });
});
