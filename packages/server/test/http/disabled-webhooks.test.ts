import type { AccountEvent, Delivery, Notification, WebhookDetails } from '@tradepost/contract';
import { createIdGenerator } from '@tradepost/domain/kernel/context';
import { noon } from '@tradepost/domain/test/builders';
import { disableFailing } from '@tradepost/domain/webhooks/disabling';
import { expect, onTestFinished, test } from 'vitest';
import { inTurn, respond } from '../helpers/receiver';
import { DeliveringService, type Hook } from './delivering-service';
import { getData } from './service';

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const disabledLog = 'webhook disabled: its endpoint kept failing';

async function start(disableAfterDays?: number): Promise<DeliveringService> {
  const harness = await DeliveringService.start({ disableAfterDays });
  onTestFinished(() => harness.close());
  return harness;
}

const show = (harness: DeliveringService, { webhook }: Hook) =>
  harness.see<WebhookDetails>(`/v1/webhooks/${webhook.id}`);

/** Sets the clock, places an order, and waits until its first attempt is recorded. */
async function placeAt(harness: DeliveringService, time: number): Promise<string> {
  harness.clock.set(time);
  await harness.clock.advance(1_000);
  const { id } = await harness.place();
  await harness.clock.advance(6 * 60_000);
  await harness.recorded();
  return id;
}

/** Lets a round of housekeeping run. */
async function housekeep({ clock }: DeliveringService): Promise<void> {
  await clock.advance(2 * 60_000);
}

test('an endpoint that fails for three days is disabled, and its owner hears of it until it is resumed', async () => {
  const harness = await start();
  const broken = await harness.hook(respond(503));
  const watching = await harness.hook(respond(200), { events: ['webhook.disabled'] });
  const others = await harness.hook(respond(200), {
    as: harness.seller,
    events: ['webhook.disabled'],
  });
  await harness.failUntilBackoff();
  await placeAt(harness, noon + 2 * day);
  await housekeep(harness);
  expect(await show(harness, broken)).toMatchObject({ status: 'active', disabledAt: null });
  await placeAt(harness, noon + 3 * day + hour);
  await housekeep(harness);

  const details = await show(harness, broken);
  expect(details).toMatchObject({ status: 'paused', lastStatus: 503 });
  const { disabledAt, failingSince } = details;
  expect(Date.parse(disabledAt ?? '') - Date.parse(failingSince ?? '')).toBeGreaterThan(3 * day);
  expect(await harness.logs.next(disabledLog)).toMatchObject({
    ...{ level: 40, webhookId: broken.webhook.id, failingSince, lastStatus: 503 },
  });

  const arrival = await watching.receiver.next();
  const body = JSON.parse(arrival.body.toString());
  const { id: webhookId, url } = broken.webhook;
  const data = { webhookId, url, failingSince, disabledAt, lastStatus: 503, lastError: null };
  expect(body).toEqual({ event: 'webhook.disabled', createdAt: disabledAt, data });
  const logged = await harness.see<AccountEvent[]>('/v1/events?type=webhook.disabled');
  expect(logged).toEqual([{ id: arrival.headers['webhook-id'], ...body, actor: null }]);
  const notices = await harness.see<Notification[]>('/v1/notifications');
  const failed = await harness.deliveries('?state=failed');
  expect(notices[0]).toMatchObject({ type: 'webhook_disabled', orderId: failed[0]?.orderId });
  expect(notices[0]?.message).toContain(`Webhook ${webhookId} (${new URL(url).host})`);

  // The other parties of that order do not hear of it.
  for (const as of [harness.seller, harness.agent]) {
    const list = async (path: string) =>
      getData<{ type?: string; event?: string }[]>(
        await harness.service.request(`GET ${path}`, { as }),
      );
    const seen = [...(await list('/v1/notifications')), ...(await list('/v1/events'))];
    expect(seen.filter(({ type, event }) => /disabled/.test(`${type} ${event}`))).toEqual([]);
  }
  expect(others.receiver.count).toBe(0);
  const timeline = await harness.see<object>(`/v1/orders/${failed[0]?.orderId}/timeline`);
  expect(JSON.stringify(timeline)).not.toContain('webhook.disabled');

  const path = `PATCH /v1/webhooks/${webhookId}`;
  const resumed = await harness.service.request(path, {
    as: harness.buyer,
    body: { status: 'active' },
  });
  expect(getData(resumed)).toMatchObject({
    status: 'active',
    disabledAt: null,
    failingSince: null,
  });
  const again = harness.clock.now();
  await placeAt(harness, again + hour);
  await placeAt(harness, again + 3 * day);
  await housekeep(harness);
  expect(await show(harness, broken)).toMatchObject({ status: 'active' });
  await placeAt(harness, again + 3 * day + 2 * hour);
  await housekeep(harness);
  expect(await show(harness, broken)).toMatchObject({ status: 'paused' });
  await watching.receiver.next();
}, 30_000);

test('an endpoint that acknowledges one delivery in three days is not disabled', async () => {
  const harness = await start();
  const rejections = Array.from({ length: 5 }, () => respond(500));
  const hook = await harness.hook(inTurn(...rejections, respond(200), respond(500)));
  await harness.failUntilBackoff();
  await placeAt(harness, noon + 2 * day);
  await placeAt(harness, noon + 4 * day);
  await housekeep(harness);
  expect(await show(harness, hook)).toMatchObject({ status: 'active', disabledAt: null });
}, 30_000);

test.each([
  ['with 0 days, no endpoint is disabled', 0, 'active'],
  ['an endpoint is disabled after the configured time', 1, 'paused'],
])(
  '%s',
  async (_, days, status) => {
    const harness = await start(days);
    const hook = await harness.hook(respond(500));
    await harness.failUntilBackoff();
    await placeAt(harness, noon + 2 * day);
    await housekeep(harness);
    expect(await show(harness, hook)).toMatchObject({ status });
  },
  30_000,
);

test('of two processes one disables an endpoint, with one event', async () => {
  const harness = await start(0);
  const hook = await harness.hook(respond(500));
  await harness.failUntilBackoff();
  await placeAt(harness, noon + 4 * day);
  const { clock, service } = harness;
  const { webhooks } = service.store;
  const settings = { webhooks, clock, newId: createIdGenerator(), disableAfterDays: 3 };
  const both = await Promise.all([disableFailing(settings), disableFailing(settings)]);
  expect(both.flatMap(({ disabled }) => disabled)).toMatchObject([{ webhookId: hook.webhook.id }]);
  expect(await harness.see('/v1/events?type=webhook.disabled')).toHaveLength(1);
}, 30_000);

test('a webhook may subscribe to it, and is sent a test event of it', async () => {
  const harness = await start();
  const hook = await harness.hook(respond(200), { events: ['webhook.disabled', 'order.created'] });
  expect(hook.webhook.events).toEqual(['order.created', 'webhook.disabled']);
  const path = `POST /v1/webhooks/${hook.webhook.id}/test`;
  const body = { event: 'webhook.disabled' };
  const sent = await harness.service.request(path, { as: harness.buyer, body });
  expect(getData<Delivery>(sent)).toMatchObject({ event: 'webhook.disabled', test: true });
  const arrival = await hook.receiver.next();
  expect(JSON.parse(arrival.body.toString()).data.webhookId).toMatch(/^whk_TradepostTest/);
});
