import type { Delivery } from '@tradepost/contract';
import { retryWindowMs } from '@tradepost/domain/deliveries/delivery';
import { noon } from '@tradepost/domain/test/builders';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { respond } from '../helpers/receiver';
import { DeliveringService } from './delivering-service';
import { getData, getProblem } from './service';

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
