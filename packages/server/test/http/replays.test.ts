import type {
  Delivery,
  ReplayDeliveries,
  ReplayedDeliveries,
  WebhookDetails,
} from '@tradepost/contract';
import { retryWindowMs } from '@tradepost/domain/deliveries/delivery';
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

const iso = (time: number) => new Date(time).toISOString();
const replay = (id: string, key?: string) =>
  harness.service.request(`POST /v1/deliveries/${id}/replay`, {
    as: harness.buyer,
    headers: { ...(key !== undefined && { 'Idempotency-Key': key }) },
  });

describe('POST /v1/deliveries/:id/replay', () => {
  it('sends a delivered event again, with the same bytes and the same webhook-id', async () => {
    const { receiver } = await harness.hook(respond(200));
    await harness.placeAndRecord();
    const first = await receiver.next();
    const { id, eventId } = await harness.newest();
    await harness.clock.advance(60_000);
    const got = await replay(id);
    expect(got.status).toBe(202);
    expect(getData<Delivery>(got)).toMatchObject({
      id,
      state: 'pending',
      attemptCount: 1,
      nextAttemptAt: iso(noon + 60_000),
      deadlineAt: iso(noon + 60_000 + retryWindowMs),
      finishedAt: null,
    });
    const second = await receiver.next();
    await harness.recorded();
    expect(second.body.equals(first.body)).toBe(true);
    expect(second.headers['webhook-id']).toBe(eventId);
    expect(first.headers['webhook-id']).toBe(eventId);
    expect(second.headers['webhook-timestamp']).toBe(String(noon / 1_000 + 60));
    expect(await harness.newest()).toMatchObject({
      id,
      state: 'delivered',
      attemptCount: 2,
      finishedAt: iso(noon + 60_000),
      attempts: [{ number: 1 }, { number: 2 }],
    });
    expect(await harness.deliveries()).toHaveLength(1);
  });

  it('is rejected while an attempt is in flight, and accepted after it', async () => {
    const inHand: (() => void)[] = [];
    const { receiver } = await harness.hook((response) => {
      inHand.push(() => response.writeHead(204).end());
    });
    await harness.place();
    await receiver.next();
    const { id } = await harness.newest();
    const problem = getProblem(await replay(id));
    expect(problem).toMatchObject({ status: 409, code: 'delivery_in_progress' });
    inHand[0]?.();
    await harness.recorded();
    expect((await replay(id)).status).toBe(202);
    await receiver.next();
    inHand[1]?.();
    await harness.recorded();
    expect(await harness.newest()).toMatchObject({ state: 'delivered', attemptCount: 2 });
  });

  it('accepts both of two requests at once, or rejects one, and never drops one silently', async () => {
    const { receiver } = await harness.hook(respond(200));
    await harness.placeAndRecord();
    const { id } = await harness.newest();
    const both = await Promise.all([replay(id), replay(id)]);
    expect(both.map(({ status }) => status)).toContain(202);
    for (const got of both) expect([202, 409]).toContain(got.status);
    await harness.recorded();
    expect(receiver.count).toBeGreaterThanOrEqual(2);
  });

  it('has one effect for an idempotency key, which belongs to one delivery', async () => {
    const { receiver } = await harness.hook(respond(200));
    await harness.placeAndRecord();
    const { id } = await harness.newest();
    const first = await replay(id, 'again');
    await harness.recorded();
    const repeated = await replay(id, 'again');
    expect([repeated.status, repeated.text]).toEqual([202, first.text]);
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    await harness.placeAndRecord();
    expect(receiver.count).toBe(3);
    const other = await harness.newest();
    expect(other.id).not.toBe(id);
    expect(getProblem(await replay(other.id, 'again'))).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    });
  });

  it('waits for a paused webhook, and says so', async () => {
    const { receiver, webhook } = await harness.hook(respond(200));
    await harness.placeAndRecord();
    const { id } = await harness.newest();
    const path = `PATCH /v1/webhooks/${webhook.id}`;
    await harness.service.request(path, { as: harness.buyer, body: { status: 'paused' } });
    const got = await replay(id);
    expect(got.status).toBe(202);
    expect(getData(got)).toMatchObject({ state: 'pending', nextAttemptAt: null });
    await harness.clock.advance(60_000);
    expect(receiver.count).toBe(1);
    await harness.service.request(path, { as: harness.buyer, body: { status: 'active' } });
    await harness.recorded();
    expect(await harness.newest()).toMatchObject({ id, state: 'delivered', attemptCount: 2 });
  });

  it('attempts a test event once more', async () => {
    const { receiver, webhook } = await harness.hook(respond(500));
    const body = { event: 'order.created' };
    await harness.service.request(`POST /v1/webhooks/${webhook.id}/test`, {
      as: harness.buyer,
      body,
    });
    await harness.recorded();
    const { id } = await harness.newest();
    await replay(id);
    await harness.recorded();
    expect(receiver.count).toBe(2);
    expect(await harness.newest()).toMatchObject({
      id,
      test: true,
      state: 'failed',
      attemptCount: 2,
    });
  });
});

describe('POST /v1/webhooks/:id/replays', () => {
  const replays = (webhookId: string, body: ReplayDeliveries, key?: string) =>
    harness.service.request(`POST /v1/webhooks/${webhookId}/replays`, {
      as: harness.buyer,
      body,
      headers: { ...(key !== undefined && { 'Idempotency-Key': key }) },
    });

  /** Places orders whose deliveries wait for their second attempt. */
  async function failOnce(count: number) {
    const hook = await harness.hook(respond(500));
    for (let placed = 0; placed < count; placed += 1) await harness.placeAndRecord();
    return hook;
  }

  it('makes due now what waits, and ends the backoff', async () => {
    let status = 503;
    const { receiver, webhook } = await harness.hook((response) => {
      response.writeHead(status, { 'Retry-After': '300' }).end();
    });
    await harness.placeAndRecord();
    await harness.place();
    await harness.place();
    const details = () => harness.see<WebhookDetails>(`/v1/webhooks/${webhook.id}`);
    expect(await details()).toMatchObject({
      pendingDeliveries: 3,
      backoffUntil: expect.stringMatching(/^2026-11-21T12:05:0/),
      lastStatus: 503,
      failingSince: expect.stringMatching(/^2026-11-21T12:00:0/),
    });
    status = 204;
    const got = await replays(webhook.id, { state: 'pending' });
    expect([got.status, getData(got)]).toEqual([
      202,
      { replayed: 3, skipped: 0, nextCursor: null },
    ]);
    for (let count = 0; count < 3; count += 1) await harness.recorded();
    expect(receiver.count).toBe(4);
    expect(await harness.deliveries('?state=delivered')).toHaveLength(3);
    expect(await details()).toMatchObject({
      pendingDeliveries: 0,
      backoffUntil: null,
      lastStatus: 204,
      failingSince: null,
    });
  });

  it('replays chunk by chunk what the filter finds, newest first, each once', async () => {
    const { webhook } = await failOnce(5);
    const before = await harness.deliveries();
    await harness.service.request(`PATCH /v1/webhooks/${webhook.id}`, {
      as: harness.buyer,
      body: { status: 'paused' },
    });
    await harness.clock.advance(1_000);
    const deadline = iso(noon + 1_000 + retryWindowMs);
    const replayed = async () =>
      (await harness.deliveries()).map(({ deadlineAt }) => deadlineAt === deadline);
    const filter = {
      state: 'pending',
      event: 'order.created',
      statusClass: '5xx',
      limit: 2,
    } as const;
    let cursor: string | null = null;
    for (const [count, expected] of [2, 4, 5].entries()) {
      const body: ReplayDeliveries = { ...filter, ...(cursor !== null && { cursor }) };
      const result: ReplayedDeliveries = getData(await replays(webhook.id, body));
      expect(result).toMatchObject({ replayed: count === 2 ? 1 : 2, skipped: 0 });
      expect(await replayed()).toEqual(before.map((_one, index) => index < expected));
      cursor = result.nextCursor;
    }
    expect(cursor).toBeNull();
    const until = { state: 'pending', until: iso(noon), limit: 500 } as const;
    expect(getData(await replays(webhook.id, until))).toMatchObject({ replayed: 0 });
  });

  it('leaves out deliveries in flight, and counts them', async () => {
    const inHand: (() => void)[] = [];
    const { receiver, webhook } = await harness.hook((response) => {
      inHand.push(() => response.writeHead(204).end());
    });
    await harness.place();
    await receiver.next();
    const got = await replays(webhook.id, { state: 'pending' });
    expect(getData(got)).toEqual({ replayed: 0, skipped: 1, nextCursor: null });
    for (const end of inHand) end();
    await harness.recorded();
    expect(receiver.count).toBe(1);
  });

  it('replays only what failed, unless it names a state', async () => {
    let status = 204;
    const { receiver, webhook } = await harness.hook((response) => {
      response.writeHead(status).end();
    });
    await harness.placeAndRecord();
    status = 500;
    await harness.service.request(`POST /v1/webhooks/${webhook.id}/test`, {
      as: harness.buyer,
      body: { event: 'order.created' },
    });
    await harness.recorded();
    await harness.placeAndRecord();
    const states = (await harness.deliveries()).map(({ state }) => state);
    expect(states).toEqual(['pending', 'failed', 'delivered']);
    status = 204;
    const one = { replayed: 1, skipped: 0, nextCursor: null };
    expect(getData(await replays(webhook.id, {}))).toEqual(one);
    await harness.recorded();
    const counts = (await harness.deliveries()).map(({ attemptCount }) => attemptCount);
    expect(counts).toEqual([1, 2, 1]);
    expect(receiver.count).toBe(4);
    const all = { replayed: 2, skipped: 0, nextCursor: null };
    expect(getData(await replays(webhook.id, { state: 'delivered' }))).toEqual(all);
  });

  it('has one effect for an idempotency key', async () => {
    const { webhook } = await failOnce(2);
    const first = await replays(webhook.id, { state: 'pending', limit: 1 }, 'again');
    const repeated = await replays(webhook.id, { state: 'pending', limit: 1 }, 'again');
    expect([repeated.status, repeated.text]).toEqual([202, first.text]);
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    const other = await replays(webhook.id, { state: 'pending' }, 'again');
    expect(getProblem(other)).toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('is for the account of the webhook alone, and not for read-only keys', async () => {
    const { webhook } = await failOnce(1);
    const path = `POST /v1/webhooks/${webhook.id}/replays`;
    const request = (as: Actor) => harness.service.request(path, { as, body: {} });
    expect(getProblem(await request(harness.seller))).toMatchObject({ code: 'webhook_not_found' });
    const readOnly = await harness.service.account('buyer', { readOnly: true });
    expect(getProblem(await request(readOnly))).toMatchObject({ code: 'read_only_api_key' });
    expect(await harness.newest()).toMatchObject({ attemptCount: 1, lastStatus: 500 });
    const badCursor = await replays(webhook.id, { cursor: 'eyJ0IjoxfQ' });
    expect(getProblem(badCursor)).toMatchObject({ status: 400, code: 'invalid_cursor' });
  });
});
