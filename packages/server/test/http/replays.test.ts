import type { Delivery } from '@tradepost/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { retryWindow } from '../../src/deliveries/delivery';
import { noon } from '../builders';
import { answer, inTurn } from '../receiver';
import { DeliveringService } from './delivering-service';
import { dataOf, problemIn } from './service';

let rig: DeliveringService;

beforeEach(async () => {
  rig = await DeliveringService.start();
});
afterEach(() => rig.close());

const iso = (time: number) => new Date(time).toISOString();
const replay = (id: string, key?: string) =>
  rig.service.ask(`POST /v1/deliveries/${id}/replay`, {
    as: rig.buyer,
    headers: { ...(key !== undefined && { 'Idempotency-Key': key }) },
  });

/** Lives through the attempts that a delivery has left, until none is due any more. */
async function exhaust(): Promise<void> {
  while ((await rig.service.store.deliveries.nextDueAt()) !== null) {
    await rig.skipToNext();
    await rig.recorded();
  }
}

describe('POST /v1/deliveries/:id/replay', () => {
  it('sends what was delivered once more: the same bytes, the same webhook-id', async () => {
    const { receiver } = await rig.hook(answer(200));
    await rig.placeAndRecord();
    const first = await receiver.next();
    const { id, eventId } = await rig.newest();
    await rig.clock.advance(60_000);
    const got = await replay(id);
    expect(got.status).toBe(202);
    expect(dataOf<Delivery>(got)).toMatchObject({
      id,
      state: 'pending',
      attempts: 1,
      nextAttemptAt: iso(noon + 60_000),
      deadlineAt: iso(noon + 60_000 + retryWindow),
      finishedAt: null,
    });
    const second = await receiver.next();
    await rig.recorded();
    expect(second.body.equals(first.body)).toBe(true);
    expect(second.headers['webhook-id']).toBe(eventId);
    expect(first.headers['webhook-id']).toBe(eventId);
    expect(second.headers['webhook-timestamp']).toBe(String(noon / 1_000 + 60));
    expect(await rig.newest()).toMatchObject({
      id,
      state: 'delivered',
      attempts: 2,
      finishedAt: iso(noon + 60_000),
      attemptLog: [{ number: 1 }, { number: 2 }],
    });
    expect(await rig.deliveries()).toHaveLength(1);
  });

  it('gives what has failed another 24 hours, and a schedule that begins anew', async () => {
    let status = 500;
    const { receiver } = await rig.hook((response) => response.writeHead(status).end());
    await rig.placeAndRecord();
    await exhaust();
    const failed = await rig.newest();
    expect(failed.state).toBe('failed');
    const now = rig.clock.now();
    expect(dataOf(await replay(failed.id))).toMatchObject({
      state: 'pending',
      attempts: failed.attempts,
      deadlineAt: iso(now + retryWindow),
    });
    await rig.recorded();
    const again = await rig.newest();
    expect(again).toMatchObject({ state: 'pending', attempts: failed.attempts + 1 });
    const pause = Date.parse(String(again.nextAttemptAt)) - now;
    expect(pause).toBeLessThanOrEqual(5 * 60_000);
    status = 200;
    await rig.skipToNext();
    await rig.recorded();
    expect(await rig.newest()).toMatchObject({
      state: 'delivered',
      attempts: failed.attempts + 2,
      lastStatus: 200,
    });
    expect(receiver.count).toBe(failed.attempts + 2);
  });

  it('makes what waits for its next attempt due at once', async () => {
    const busy = answer(429, { 'Retry-After': '3600' });
    const { receiver } = await rig.hook(inTurn(busy, answer(200)));
    await rig.placeAndRecord();
    const { id, nextAttemptAt } = await rig.newest();
    expect(Date.parse(String(nextAttemptAt))).toBeGreaterThanOrEqual(noon + 3_600_000);
    await replay(id);
    await rig.recorded();
    expect(receiver.count).toBe(2);
    expect(await rig.newest()).toMatchObject({ state: 'delivered', attempts: 2 });
    expect(await rig.service.store.deliveries.nextDueAt()).toBeNull();
  });

  it('is refused while an attempt is under way, and taken after it', async () => {
    const inHand: (() => void)[] = [];
    const { receiver } = await rig.hook((response) => {
      inHand.push(() => response.writeHead(204).end());
    });
    await rig.place();
    await receiver.next();
    const { id } = await rig.newest();
    const problem = problemIn(await replay(id));
    expect(problem).toMatchObject({ status: 409, code: 'delivery_in_progress' });
    inHand[0]?.();
    await rig.recorded();
    expect((await replay(id)).status).toBe(202);
    await receiver.next();
    inHand[1]?.();
    await rig.recorded();
    expect(await rig.newest()).toMatchObject({ state: 'delivered', attempts: 2 });
  });

  it('sends again each time that it is asked to', async () => {
    const { receiver } = await rig.hook(answer(200));
    await rig.placeAndRecord();
    const { id } = await rig.newest();
    for (let count = 2; count <= 4; count += 1) {
      expect((await replay(id)).status).toBe(202);
      await rig.recorded();
      expect(receiver.count).toBe(count);
    }
    expect(await rig.see(`/v1/webhooks/${(await rig.newest()).webhookId}`)).toMatchObject({
      pendingDeliveries: 0,
    });
  });

  it('of two requests at once accepts both, or refuses one: it never drops one silently', async () => {
    const { receiver } = await rig.hook(answer(200));
    await rig.placeAndRecord();
    const { id } = await rig.newest();
    const both = await Promise.all([replay(id), replay(id)]);
    expect(both.map(({ status }) => status)).toContain(202);
    for (const got of both) expect([202, 409]).toContain(got.status);
    await rig.recorded();
    expect(receiver.count).toBeGreaterThanOrEqual(2);
  });

  it('has one effect for an idempotency key, which belongs to one delivery', async () => {
    const { receiver } = await rig.hook(answer(200));
    await rig.placeAndRecord();
    const { id } = await rig.newest();
    const first = await replay(id, 'again');
    await rig.recorded();
    const repeated = await replay(id, 'again');
    expect([repeated.status, repeated.text]).toEqual([202, first.text]);
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    await rig.placeAndRecord();
    expect(receiver.count).toBe(3);
    const other = await rig.newest();
    expect(other.id).not.toBe(id);
    expect(problemIn(await replay(other.id, 'again'))).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    });
  });

  it('lifts what holds the endpoint', async () => {
    const { receiver, webhook } = await rig.hook(answer(500));
    await rig.failUntilHeld();
    await rig.clock.advance(1_000);
    const { id, nextAttemptAt } = await rig.newest();
    expect(Date.parse(String(nextAttemptAt))).toBeGreaterThan(rig.clock.now());
    const got = dataOf<Delivery>(await replay(id));
    expect(got.nextAttemptAt).toBe(iso(rig.clock.now()));
    await rig.recorded();
    expect(receiver.count).toBe(6);
    const shown = await rig.see(`/v1/webhooks/${webhook.id}`);
    expect(shown).toMatchObject({ consecutiveFailures: 6 });
  });

  it('of a paused webhook waits until that is resumed, and says so', async () => {
    const { receiver, webhook } = await rig.hook(answer(200));
    await rig.placeAndRecord();
    const { id } = await rig.newest();
    const path = `PATCH /v1/webhooks/${webhook.id}`;
    await rig.service.ask(path, { as: rig.buyer, body: { status: 'paused' } });
    const got = await replay(id);
    expect(got.status).toBe(202);
    expect(dataOf(got)).toMatchObject({ state: 'pending', nextAttemptAt: null });
    await rig.clock.advance(60_000);
    expect(receiver.count).toBe(1);
    await rig.service.ask(path, { as: rig.buyer, body: { status: 'active' } });
    await rig.recorded();
    expect(await rig.newest()).toMatchObject({ id, state: 'delivered', attempts: 2 });
  });

  it('tries a sample once more', async () => {
    const { receiver, webhook } = await rig.hook(answer(500));
    const body = { event: 'order.created' };
    await rig.service.ask(`POST /v1/webhooks/${webhook.id}/test`, { as: rig.buyer, body });
    await rig.recorded();
    const { id } = await rig.newest();
    await replay(id);
    await rig.recorded();
    expect(receiver.count).toBe(2);
    expect(await rig.newest()).toMatchObject({ id, test: true, state: 'failed', attempts: 2 });
  });
});
