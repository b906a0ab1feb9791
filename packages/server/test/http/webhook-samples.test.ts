import {
  type Delivery,
  type DeliveryDetails,
  type EventKind,
  eventKinds,
  type Notification,
  webhookEventSchema,
} from '@tradepost/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signBody, signStandard } from '../../src/deliveries/sign';
import { answer, inTurn } from '../receiver';
import { DeliveringService } from './delivering-service';
import { type Actor, dataOf, problemIn } from './service';

let rig: DeliveringService;

beforeEach(async () => {
  rig = await DeliveringService.start();
});
afterEach(() => rig.close());

const test = (
  id: string,
  event: EventKind = 'order.created',
  headers: Record<string, string> = {},
  as: Actor = rig.buyer,
) => rig.service.ask(`POST /v1/webhooks/${id}/test`, { as, body: { event }, headers });

describe('POST /v1/webhooks/:id/test', () => {
  it.each(eventKinds)('sends a sample of %s, signed and marked', async (event) => {
    const { receiver, webhook } = await rig.hook(answer(200));
    const got = await test(webhook.id, event);
    expect(got.status).toBe(202);
    const { headers, body } = await receiver.next();
    const text = body.toString();
    expect(webhookEventSchema.parse(JSON.parse(text))).toEqual(JSON.parse(text));
    expect(JSON.parse(text)).toMatchObject({ event });
    const id = String(headers['webhook-id']);
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
    expect(dataOf<Delivery>(got)).toMatchObject({ event, eventId: id, test: true });
  });

  it('answers with the delivery that waits, and its Location shows what came of it', async () => {
    const { receiver, webhook } = await rig.hook(answer(200, {}, 'thanks'));
    const got = await test(webhook.id);
    const now = new Date(rig.clock.now()).toISOString();
    const delivery = dataOf<Delivery>(got);
    expect(delivery).toEqual({
      id: expect.stringMatching(/^dlv_/),
      webhookId: webhook.id,
      eventId: expect.stringMatching(/^evt_/),
      event: 'order.created',
      state: 'pending',
      test: true,
      attempts: 0,
      lastStatus: null,
      lastError: null,
      nextAttemptAt: now,
      deadlineAt: expect.any(String),
      createdAt: now,
      finishedAt: null,
    });
    const { body } = await receiver.next();
    await rig.recorded();
    const location = String(got.headers.get('location'));
    expect(location).toBe(`/v1/deliveries/${delivery.id}`);
    const details = await rig.see<DeliveryDetails>(location);
    expect(details).toMatchObject({ id: delivery.id, state: 'delivered', test: true, attempts: 1 });
    expect(details.body).toBe(body.toString());
    expect(details.attemptLog[0]?.headers).toMatchObject({ 'Tradepost-Test': 'true' });
    expect(details.attemptLog[0]?.excerpt).toBe('thanks');
    expect(await rig.deliveries()).toMatchObject([{ id: delivery.id, test: true }]);
  });

  it('tries once: what the receiver refuses has failed', async () => {
    const { receiver, webhook } = await rig.hook(answer(503, { 'Retry-After': '1' }));
    await test(webhook.id);
    await rig.recorded();
    expect(await rig.newest()).toMatchObject({ state: 'failed', attempts: 1, lastStatus: 503 });
    await rig.clock.advance(60_000);
    expect(receiver.count).toBe(1);
  });

  it('is in no log of events, and makes no notification', async () => {
    const { webhook } = await rig.hook(answer(200));
    for (const event of eventKinds) await test(webhook.id, event);
    for (const as of [rig.buyer, rig.seller, rig.agent]) {
      const events = await rig.service.ask('GET /v1/events', { as });
      expect(dataOf(events)).toEqual([]);
      const told = await rig.service.ask('GET /v1/notifications', { as });
      expect(dataOf<Notification[]>(told)).toEqual([]);
    }
  });

  it('goes to the one webhook alone, whatever it subscribes to', async () => {
    const one = await rig.hook(answer(200), { events: ['task.completed'] });
    const other = await rig.hook(answer(200), { events: ['order.created'] });
    await test(one.webhook.id, 'order.created');
    await rig.recorded();
    expect([one.receiver.count, other.receiver.count]).toEqual([1, 0]);
  });

  it('carries no mark on what is no sample', async () => {
    const { receiver } = await rig.hook(answer(200));
    await rig.placeAndRecord();
    expect((await receiver.next()).headers).not.toHaveProperty('tradepost-test');
    expect(await rig.newest()).toMatchObject({ test: false });
  });

  it('sends nothing to a paused webhook', async () => {
    const { receiver, webhook } = await rig.hook(answer(200));
    const path = `PATCH /v1/webhooks/${webhook.id}`;
    await rig.service.ask(path, { as: rig.buyer, body: { status: 'paused' } });
    const problem = problemIn(await test(webhook.id));
    expect(problem).toMatchObject({ status: 409, code: 'webhook_paused' });
    expect(problem.detail).toContain(`PATCH /v1/webhooks/${webhook.id}`);
    expect(await rig.deliveries()).toEqual([]);
    await rig.service.ask(path, { as: rig.buyer, body: { status: 'active' } });
    expect((await test(webhook.id)).status).toBe(202);
    await rig.recorded();
    expect(receiver.count).toBe(1);
  });

  it('is tried at once by an endpoint that was held for failing', async () => {
    const { receiver, webhook } = await rig.hook(
      inTurn(...Array.from({ length: 5 }, () => answer(500)), answer(200)),
    );
    await rig.failUntilHeld();
    const held = await rig.see(`/v1/webhooks/${webhook.id}`);
    expect(held).toMatchObject({ heldUntil: expect.any(String), consecutiveFailures: 5 });
    await test(webhook.id);
    await rig.recorded();
    expect(receiver.count).toBe(6);
    const mended = await rig.see(`/v1/webhooks/${webhook.id}`);
    expect(mended).toMatchObject({ heldUntil: null, consecutiveFailures: 0 });
  });

  it.each([
    [{}, 'event'],
    [{ event: 'order.shipped' }, 'event'],
    [{ event: 'order.created', count: 3 }, 'count'],
  ])('refuses %j', async (body, path) => {
    const { webhook } = await rig.hook(answer(200));
    const got = await rig.service.ask(`POST /v1/webhooks/${webhook.id}/test`, {
      as: rig.buyer,
      body,
    });
    expect(problemIn(got).errors?.map((issue) => issue.path)).toEqual([path]);
  });

  it('is refused for a webhook of another account', async () => {
    const { webhook } = await rig.hook(answer(200));
    const problem = problemIn(await test(webhook.id, 'order.created', {}, rig.seller));
    expect(problem).toMatchObject({ status: 404, code: 'webhook_not_found' });
  });

  it('sends one sample for an idempotency key, which belongs to its webhook and event', async () => {
    const { receiver, webhook } = await rig.hook(answer(200));
    const key = { 'Idempotency-Key': 'try-it' };
    const first = await test(webhook.id, 'order.created', key);
    const again = await test(webhook.id, 'order.created', key);
    expect([again.status, again.text]).toEqual([202, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    await rig.recorded();
    expect(receiver.count).toBe(1);
    const other = await rig.hook(answer(200));
    for (const reused of [
      await test(other.webhook.id, 'order.created', key),
      await test(webhook.id, 'task.completed', key),
    ]) {
      expect(problemIn(reused).code).toBe('idempotency_key_reused');
    }
  });
});
