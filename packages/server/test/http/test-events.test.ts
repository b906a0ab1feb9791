import {
  type Delivery,
  type DeliveryDetails,
  type EventType,
  eventTypes,
  isTestEvent,
  webhookEventSchema,
} from '@tradepost/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signBody, signStandard } from '../../src/engine/attempt/delivery-headers';
import { inTurn, respond } from '../helpers/receiver';
import { DeliveringService } from './delivering-service';
import { type Actor, getData, getProblem } from './service';

let harness: DeliveringService;

beforeEach(async () => {
  harness = await DeliveringService.start();
});
afterEach(() => harness.close());

const test = (
  id: string,
  event: EventType = 'order.created',
  headers: Record<string, string> = {},
  as: Actor = harness.buyer,
) => harness.service.request(`POST /v1/webhooks/${id}/test`, { as, body: { event }, headers });

describe('POST /v1/webhooks/:id/test', () => {
  it.each(eventTypes)('sends a test event of type %s, signed and marked', async (event) => {
    const { receiver, webhook } = await harness.hook(respond(200));
    const got = await test(webhook.id, event);
    expect(got.status).toBe(202);
    const { headers, body } = await receiver.next();
    const text = body.toString();
    expect(webhookEventSchema.parse(JSON.parse(text))).toEqual(JSON.parse(text));
    expect(JSON.parse(text)).toMatchObject({ event });
    expect(isTestEvent(JSON.parse(text))).toBe(true);
    const id = String(headers['webhook-id']);
    expect(id).toMatch(/^evt_[0-9A-Z]{26}$/);
    expect(headers).toMatchObject({
      'tradepost-test': 'true',
      'content-type': 'application/json',
      'service-signature': signBody(webhook.secret, text),
      'webhook-signature': signStandard(
        webhook.secret,
        id,
        Number(headers['webhook-timestamp']),
        text,
      ),
    });
    expect(getData<Delivery>(got)).toMatchObject({ event, eventId: id, test: true });
  });

  it('returns the pending delivery, and its Location shows the result', async () => {
    const { receiver, webhook } = await harness.hook(respond(200, {}, 'thanks'));
    const got = await test(webhook.id);
    const now = new Date(harness.clock.now()).toISOString();
    const delivery = getData<Delivery>(got);
    expect(delivery).toEqual({
      id: expect.stringMatching(/^dlv_/),
      webhookId: webhook.id,
      eventId: expect.stringMatching(/^evt_/),
      event: 'order.created',
      orderId: null,
      state: 'pending',
      test: true,
      attemptCount: 0,
      lastStatus: null,
      lastError: null,
      nextAttemptAt: now,
      deadlineAt: expect.any(String),
      createdAt: now,
      finishedAt: null,
    });
    const { body } = await receiver.next();
    await harness.recorded();
    const location = String(got.headers.get('location'));
    expect(location).toBe(`/v1/deliveries/${delivery.id}`);
    const details = await harness.see<DeliveryDetails>(location);
    expect(details).toMatchObject({
      id: delivery.id,
      state: 'delivered',
      test: true,
      attemptCount: 1,
    });
    expect(details.body).toBe(body.toString());
    expect(details.attempts[0]?.headers).toMatchObject({ 'Tradepost-Test': 'true' });
    expect(details.attempts[0]?.responseSnippet).toBe('thanks');
    expect(await harness.deliveries()).toMatchObject([{ id: delivery.id, test: true }]);
  });

  it('makes one attempt: the test event fails if the receiver rejects it', async () => {
    const { receiver, webhook } = await harness.hook(respond(503, { 'Retry-After': '1' }));
    await test(webhook.id);
    await harness.recorded();
    expect(await harness.newest()).toMatchObject({
      state: 'failed',
      attemptCount: 1,
      lastStatus: 503,
    });
    await harness.clock.advance(60_000);
    expect(receiver.count).toBe(1);
  });

  it('does not mark other deliveries', async () => {
    const { receiver } = await harness.hook(respond(200));
    await harness.placeAndRecord();
    expect((await receiver.next()).headers).not.toHaveProperty('tradepost-test');
    expect(await harness.newest()).toMatchObject({ test: false });
  });

  it('sends nothing to a paused webhook', async () => {
    const { receiver, webhook } = await harness.hook(respond(200));
    const path = `PATCH /v1/webhooks/${webhook.id}`;
    await harness.service.request(path, { as: harness.buyer, body: { status: 'paused' } });
    const problem = getProblem(await test(webhook.id));
    expect(problem).toMatchObject({ status: 409, code: 'webhook_paused' });
    expect(problem.detail).toContain(`PATCH /v1/webhooks/${webhook.id}`);
    expect(await harness.deliveries()).toEqual([]);
    await harness.service.request(path, { as: harness.buyer, body: { status: 'active' } });
    expect((await test(webhook.id)).status).toBe(202);
    await harness.recorded();
    expect(receiver.count).toBe(1);
  });

  it('makes its attempt at once for an endpoint in backoff', async () => {
    const { receiver, webhook } = await harness.hook(
      inTurn(...Array.from({ length: 5 }, () => respond(500)), respond(200)),
    );
    await harness.failUntilBackoff();
    const backingOff = await harness.see(`/v1/webhooks/${webhook.id}`);
    expect(backingOff).toMatchObject({ backoffUntil: expect.any(String), consecutiveFailures: 5 });
    await test(webhook.id);
    await harness.recorded();
    expect(receiver.count).toBe(6);
    const recovered = await harness.see(`/v1/webhooks/${webhook.id}`);
    expect(recovered).toMatchObject({ backoffUntil: null, consecutiveFailures: 0 });
  });

  it.each([
    [{}, 'event'],
    [{ event: 'order.shipped' }, 'event'],
    [{ event: 'order.created', count: 3 }, 'count'],
  ])('rejects %j', async (body, path) => {
    const { webhook } = await harness.hook(respond(200));
    const got = await harness.service.request(`POST /v1/webhooks/${webhook.id}/test`, {
      as: harness.buyer,
      body,
    });
    expect(getProblem(got).errors?.map((issue) => issue.path)).toEqual([path]);
  });

  it('is rejected for a webhook of another account', async () => {
    const { webhook } = await harness.hook(respond(200));
    const problem = getProblem(await test(webhook.id, 'order.created', {}, harness.seller));
    expect(problem).toMatchObject({ status: 404, code: 'webhook_not_found' });
  });

  it('sends one test event for an idempotency key, which belongs to its webhook and event', async () => {
    const { receiver, webhook } = await harness.hook(respond(200));
    const key = { 'Idempotency-Key': 'try-it' };
    const first = await test(webhook.id, 'order.created', key);
    const again = await test(webhook.id, 'order.created', key);
    expect([again.status, again.text]).toEqual([202, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    await harness.recorded();
    expect(receiver.count).toBe(1);
    const other = await harness.hook(respond(200));
    for (const reused of [
      await test(other.webhook.id, 'order.created', key),
      await test(webhook.id, 'task.completed', key),
    ]) {
      expect(getProblem(reused).code).toBe('idempotency_key_reused');
    }
  });
});
