import { createHmac } from 'node:crypto';
import { eventTypes, webhookEventSchema } from '@tradepost/contract';
import { Tradepost } from '@tradepost/sdk';
import {
  verifyWebhook,
  verifyWebhookSync,
  WebhookVerificationError,
} from '@tradepost/sdk/webhooks';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { beforeEach, expect, it } from 'vitest';
import { forTest } from '../helpers/for-test';
import { registerWebhook } from '../helpers/register-webhook';
import { runCli } from '../helpers/run-cli';
import { runServerCommand } from '../helpers/run-server-command';
import { type Arrival, type Receiver, startReceiver } from '../helpers/start-receiver';
import { type SeededServer, startSeededServer } from '../helpers/start-seeded-server';

let service: SeededServer;

beforeEach(async () => {
  service = await startSeededServer();
  return () => service.close();
});

async function startInbox(getStatus?: (number: number) => number): Promise<Receiver> {
  return await forTest(startReceiver(getStatus));
}

const createClient = ({ apiKey }: { apiKey: string }) =>
  new Tradepost({ baseUrl: service.server.url, apiKey });

const parseType = ({ body }: Arrival) => (JSON.parse(String(body)) as { event: string }).event;

it('the server delivers a signed event over HTTPS when the CLI updates an order that the SDK created', async () => {
  const { buyer, seller, seed } = service;
  const inbox = await startInbox();
  const registered = await runCli(
    [
      'webhooks',
      'register',
      '--url',
      inbox.url,
      '--events',
      'order.status_changed',
      '--output',
      'json',
    ],
    service.createEnvironment(seller),
  );
  const { secret } = JSON.parse(registered.stdout) as { secret: string };

  const listingId = seed.listings[0]?.id ?? '';
  const order = await createClient(buyer).orders.create({ listingId, quantity: 3 });
  const moved = await runCli(
    ['orders', 'set-status', order.id, 'fulfilling'],
    service.createEnvironment(seller),
  );
  expect(moved.code).toBe(0);

  const [arrival] = await inbox.until((arrivals) => arrivals.length === 1);
  const { headers, body: payload } = arrival as Arrival;
  const event = await verifyWebhook({ payload, headers, secret });
  expect(event).toEqual({
    event: 'order.status_changed',
    createdAt: expect.stringMatching(/Z$/),
    data: { orderId: order.id, previousStatus: 'pending', status: 'fulfilling' },
  });
  expect(Object.keys(event)).toEqual(['event', 'createdAt', 'data']);

  const byHand = createHmac('sha256', secret).update(payload).digest('hex');
  expect(headers['service-signature']).toBe(byHand);
  expect(headers['content-type']).toBe('application/json');
  expect(headers['user-agent']).toMatch(/^Tradepost\//);

  const tampered = Buffer.from(String(payload).replace('fulfilling', 'cancelled!'));
  expect(() => verifyWebhookSync({ payload: tampered, headers, secret })).toThrow(
    WebhookVerificationError,
  );

  const { data } = await createClient(buyer).notifications.list({ read: false });
  const notification = data.find(
    ({ orderId, type }) => orderId === order.id && type === 'order_status_changed',
  );
  expect(notification?.message).toBe(`Order ${order.id} is now fulfilling (was pending).`);
  expect(await createClient(buyer).notifications.markRead(notification?.id ?? '')).toMatchObject({
    read: true,
  });
});

it('the server delivers all five event types as the contract defines them', async () => {
  const { buyer, seller, agent } = service;
  const inbox = await startInbox();
  const webhook = await registerWebhook(createClient(agent), {
    url: inbox.url,
    events: [...eventTypes],
  });
  const listing = await runServerCommand<{ id: string }>(
    [
      'listings',
      'create',
      '--seller',
      seller.id,
      '--agent',
      agent.id,
      '--quantity',
      '10',
      '--low-threshold',
      '5',
    ],
    service.server.database,
  );
  const order = await createClient(buyer).orders.create({ listingId: listing.id, quantity: 6 });
  await createClient(agent).orders.update(order.id, { status: 'confirmed' });

  const arrivals = await inbox.until(({ length }) => length === eventTypes.length);
  expect(arrivals.map(parseType).sort()).toEqual([...eventTypes].sort());
  for (const { body, headers } of arrivals) {
    const event = await verifyWebhook({ payload: body, headers, secret: webhook.secret });
    expect(webhookEventSchema.parse(event)).toEqual(event);
  }
});

it('the Standard Webhooks library verifies a delivery', async () => {
  const { buyer, seed } = service;
  const inbox = await startInbox();
  const events = ['order.created' as const];
  const webhook = await registerWebhook(createClient(buyer), { url: inbox.url, events });
  await createClient(buyer).orders.create({ listingId: seed.listings[0]?.id ?? '', quantity: 1 });

  const [arrival] = await inbox.until((arrivals) => arrivals.length === 1);
  const { body, headers } = arrival as Arrival;
  const verified = new StandardWebhook(webhook.secret).verify(
    String(body),
    headers as Record<string, string>,
  );
  expect(verified).toMatchObject({ event: 'order.created' });
});

it('the server delivers to each party of an order and to no other account', async () => {
  const { buyer, seller, agent, stranger, seed } = service;
  const inboxes = await Promise.all([startInbox(), startInbox(), startInbox(), startInbox()]);
  const events = ['order.created' as const];
  for (const [index, account] of [buyer, seller, agent, stranger].entries()) {
    await createClient(account).webhooks.create({ url: inboxes[index]?.url ?? '', events });
  }
  const listingId = seed.listings[0]?.id ?? '';
  await createClient(buyer).orders.create({ listingId, quantity: 1 });
  const [first, second, third, none] = inboxes;
  await Promise.all(
    [first, second, third].map((inbox) => inbox?.until(({ length }) => length === 1)),
  );

  // The first delivery to the stranger is of the stranger's own order, so nothing arrived before.
  const own = await createClient(stranger).orders.create({ listingId, quantity: 1 });
  const [arrival] = (await none?.until(({ length }) => length > 0)) ?? [];
  expect(String(arrival?.body)).toContain(own.id);
});

it('the server retries a failed delivery with the same body, the same ID and a new timestamp', async () => {
  const { buyer, seed } = service;
  const inbox = await startInbox((number) => (number === 1 ? 500 : 204));
  const events = ['order.created' as const];
  const { secret } = await registerWebhook(createClient(buyer), { url: inbox.url, events });
  await createClient(buyer).orders.create({ listingId: seed.listings[0]?.id ?? '', quantity: 1 });

  const [first, second] = (await inbox.until(({ length }) => length === 2)) as [Arrival, Arrival];
  expect(second.body.equals(first.body)).toBe(true);
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(second.headers['service-signature']).toBe(first.headers['service-signature']);
  const waited =
    Number(second.headers['webhook-timestamp']) - Number(first.headers['webhook-timestamp']);
  expect(waited).toBeGreaterThanOrEqual(4);
  expect(verifyWebhookSync({ payload: second.body, headers: second.headers, secret }).event).toBe(
    'order.created',
  );
});
