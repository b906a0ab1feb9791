import { createHmac } from 'node:crypto';
import { eventTypes, webhookEventSchema } from '@tradepost/contract';
import { Tradepost } from '@tradepost/sdk';
import {
  verifyWebhook,
  verifyWebhookSync,
  WebhookVerificationError,
} from '@tradepost/sdk/webhooks';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { runCli } from '../helpers/run-cli';
import { runServerCommand } from '../helpers/run-server-command';
import { type Arrival, type Receiver, startReceiver } from '../helpers/start-receiver';
import { type SeededServer, startSeededServer } from '../helpers/start-seeded-server';

let service: SeededServer;

beforeEach(async () => {
  service = await startSeededServer();
  return () => service.close();
});

async function receiver(answer?: (number: number) => number): Promise<Receiver> {
  const started = await startReceiver(answer);
  onTestFinished(started.close);
  return started;
}

const clientOf = ({ apiKey }: { apiKey: string }) =>
  new Tradepost({ baseUrl: service.server.url, apiKey });

const kindOf = ({ body }: Arrival) => (JSON.parse(String(body)) as { event: string }).event;

it('tells a receiver over HTTPS, signed, that the CLI moved an order which the SDK placed', async () => {
  const { buyer, seller, seed } = service;
  const inbox = await receiver();
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
  const order = await clientOf(buyer).orders.create({ listingId, quantity: 3 });
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

  const { data } = await clientOf(buyer).notifications.list({ read: false });
  const told = data.find(
    ({ orderId, type }) => orderId === order.id && type === 'order_status_changed',
  );
  expect(told?.message).toBe(`Order ${order.id} is now fulfilling (was pending).`);
  expect(await clientOf(buyer).notifications.markRead(told?.id ?? '')).toMatchObject({
    read: true,
  });
});

it('delivers all five kinds of event, each as the contract has it', async () => {
  const { buyer, seller, agent } = service;
  const inbox = await receiver();
  const webhook = await clientOf(agent).webhooks.create({
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
  const order = await clientOf(buyer).orders.create({ listingId: listing.id, quantity: 6 });
  await clientOf(agent).orders.update(order.id, { status: 'confirmed' });

  const arrivals = await inbox.until(({ length }) => length === eventTypes.length);
  expect(arrivals.map(kindOf).sort()).toEqual([...eventTypes].sort());
  for (const { body, headers } of arrivals) {
    const event = await verifyWebhook({ payload: body, headers, secret: webhook.secret });
    expect(webhookEventSchema.parse(event)).toEqual(event);
  }
});

it('is verified by the Standard Webhooks library too', async () => {
  const { buyer, seed } = service;
  const inbox = await receiver();
  const events = ['order.created' as const];
  const webhook = await clientOf(buyer).webhooks.create({ url: inbox.url, events });
  await clientOf(buyer).orders.create({ listingId: seed.listings[0]?.id ?? '', quantity: 1 });

  const [arrival] = await inbox.until((arrivals) => arrivals.length === 1);
  const { body, headers } = arrival as Arrival;
  const verified = new StandardWebhook(webhook.secret).verify(
    String(body),
    headers as Record<string, string>,
  );
  expect(verified).toMatchObject({ event: 'order.created' });
});

it('sends to each party of an order and to nobody else', async () => {
  const { buyer, seller, agent, stranger, seed } = service;
  const inboxes = await Promise.all([receiver(), receiver(), receiver(), receiver()]);
  const events = ['order.created' as const];
  for (const [place, account] of [buyer, seller, agent, stranger].entries()) {
    await clientOf(account).webhooks.create({ url: inboxes[place]?.url ?? '', events });
  }
  const listingId = seed.listings[0]?.id ?? '';
  await clientOf(buyer).orders.create({ listingId, quantity: 1 });
  const [first, second, third, none] = inboxes;
  await Promise.all(
    [first, second, third].map((inbox) => inbox?.until(({ length }) => length === 1)),
  );

  // The stranger's own order comes to the stranger as the first thing ever: nothing came before it.
  const own = await clientOf(stranger).orders.create({ listingId, quantity: 1 });
  const [arrival] = (await none?.until(({ length }) => length > 0)) ?? [];
  expect(String(arrival?.body)).toContain(own.id);
});

it('sends a refused delivery again, the same bytes under the same id with a fresh timestamp', async () => {
  const { buyer, seed } = service;
  const inbox = await receiver((number) => (number === 1 ? 500 : 204));
  const events = ['order.created' as const];
  const { secret } = await clientOf(buyer).webhooks.create({ url: inbox.url, events });
  await clientOf(buyer).orders.create({ listingId: seed.listings[0]?.id ?? '', quantity: 1 });

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
