import { writeFile } from 'node:fs/promises';
import { eventTypes } from '@tradepost/contract';
import { Tradepost } from '@tradepost/sdk';
import { registerWebhook } from '../../helpers/register-webhook';
import { type Arrival, startHttpReceiver } from '../../helpers/start-receiver';
import type { SeededServer } from '../../helpers/start-seeded-server';

/** A delivery to verify, in the format of the contract's test vectors. */
interface Vector {
  name: string;
  secrets: string[];
  headers: Record<string, string>;
  /** In base64. */
  body: string;
  expected: { serviceSignature: boolean; webhookSignature: boolean };
}

const signed = { serviceSignature: true, webhookSignature: true };
const onlyService = { serviceSignature: true, webhookSignature: false };
const onlyWebhook = { serviceSignature: false, webhookSignature: true };
const neither = { serviceSignature: false, webhookSignature: false };

const headerNames = [
  'Service-Signature',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
] as const;

function toVector(name: string, secrets: string[], { headers, body }: Arrival): Vector {
  const signatures = headerNames.map((header) => [header, String(headers[header.toLowerCase()])]);
  return {
    name,
    secrets,
    headers: Object.fromEntries(signatures),
    body: body.toString('base64'),
    expected: signed,
  };
}

/** Forges a genuine delivery in each way that a receiver must reject. */
function forge(genuine: Vector): Vector[] {
  const {
    'Service-Signature': service = '',
    'webhook-id': id = '',
    'webhook-timestamp': timestamp = '',
    'webhook-signature': webhook = '',
  } = genuine.headers;
  const withHeader = (
    name: string,
    header: string,
    value: string,
    expected: Vector['expected'],
  ) => ({
    ...genuine,
    name,
    headers: { ...genuine.headers, [header]: value },
    expected,
  });
  const body = Buffer.from(genuine.body, 'base64');
  body[body.length - 3] = (body[body.length - 3] ?? 0) ^ 1;
  const otherSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  return [
    { ...genuine, name: 'one byte changed', body: body.toString('base64'), expected: neither },
    { ...genuine, name: 'another secret', secrets: [otherSecret], expected: neither },
    { ...genuine, name: 'no headers', headers: {}, expected: neither },
    withHeader('another ID', 'webhook-id', `${id}X`, onlyService),
    withHeader('a later timestamp', 'webhook-timestamp', `${Number(timestamp) + 1}`, onlyService),
    withHeader(
      'a truncated Service-Signature',
      'Service-Signature',
      service.slice(0, -1),
      onlyWebhook,
    ),
    withHeader('an empty Service-Signature', 'Service-Signature', '', onlyWebhook),
    withHeader(
      'an upper-case Service-Signature',
      'Service-Signature',
      service.toUpperCase(),
      onlyWebhook,
    ),
    withHeader(
      'a truncated webhook-signature',
      'webhook-signature',
      webhook.slice(0, -1),
      onlyService,
    ),
    withHeader('an empty webhook-signature', 'webhook-signature', '', onlyService),
    withHeader(
      'an upper-case webhook-signature',
      'webhook-signature',
      webhook.toUpperCase(),
      onlyService,
    ),
  ];
}

/**
 * Captures deliveries of the real server, forges one of them, and writes all of them to a file in the format of the
 * test vectors. They are to be verified now, with the real clock.
 */
export async function captureDeliveries(service: SeededServer, file: string): Promise<void> {
  const { server, buyer, seller, seed } = service;
  const receiver = await startHttpReceiver();
  const buying = new Tradepost({ baseUrl: server.url, apiKey: buyer.apiKey });
  const selling = new Tradepost({ baseUrl: server.url, apiKey: seller.apiKey });
  const listingId = seed.listings[0]?.id ?? '';

  async function arrivalAfter(act: () => Promise<unknown>): Promise<Arrival> {
    const count = receiver.arrivals.length;
    await act();
    const arrivals = await receiver.until(({ length }) => length > count);
    return arrivals[count] as Arrival;
  }

  try {
    const { id, secret } = await registerWebhook(buying, {
      url: receiver.url,
      events: ['order.created', 'order.status_changed'],
    });
    const placeOrder = () => buying.orders.create({ listingId, quantity: 1 });
    const vectors = [toVector('order.created', [secret], await arrivalAfter(placeOrder))];
    const [order] = (await buying.orders.list({ limit: 1 })).data;
    const fulfil = () => selling.orders.update(order?.id ?? '', { status: 'fulfilling' });
    vectors.push(toVector('order.status_changed', [secret], await arrivalAfter(fulfil)));
    for (const event of eventTypes) {
      const sendTest = () => buying.webhooks.test(id, { event });
      vectors.push(toVector(`a test of ${event}`, [secret], await arrivalAfter(sendTest)));
    }
    const staged = await buying.webhooks.stageSecret(id);
    const between = await arrivalAfter(placeOrder);
    vectors.push(
      toVector('a staged secret: the current one', [secret], between),
      {
        ...toVector('a staged secret: the new one', [staged.secret], between),
        expected: onlyWebhook,
      },
      toVector('a staged secret: both', [secret, staged.secret], between),
    );
    await buying.webhooks.promoteSecret(id);
    const after = await arrivalAfter(placeOrder);
    vectors.push(toVector('a promoted secret', [staged.secret], after), {
      ...toVector('a promoted secret: the old one', [secret], after),
      expected: neither,
    });
    const [genuine] = vectors as [Vector];
    await writeFile(file, JSON.stringify({ vectors: [...vectors, ...forge(genuine)] }));
  } finally {
    await receiver.close();
  }
}
