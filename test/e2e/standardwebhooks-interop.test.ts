import { type EventType, eventTypes } from '@tradepost/contract';
import { Tradepost } from '@tradepost/sdk';
import { Webhook as StandardWebhook, WebhookVerificationError } from 'standardwebhooks';
import { beforeEach, describe, expect, it } from 'vitest';
import { forTest } from '../helpers/for-test';
import { registerWebhook } from '../helpers/register-webhook';
import { type Arrival, type Receiver, startReceiver } from '../helpers/start-receiver';
import { type SeededServer, startSeededServer } from '../helpers/start-seeded-server';

// A third-party library that knows nothing of this service.

let service: SeededServer;

beforeEach(async () => {
  service = await startSeededServer();
  return () => service.close();
});

async function startInbox(getStatus?: (number: number) => number): Promise<Receiver> {
  return await forTest(startReceiver(getStatus));
}

function buyerClient(): Tradepost {
  return new Tradepost({ baseUrl: service.server.url, apiKey: service.buyer.apiKey });
}

async function placeOrder(): Promise<void> {
  const listingId = service.seed.listings[0]?.id ?? '';
  await buyerClient().orders.create({ listingId, quantity: 1 });
}

/** Sends a POST without the SDK. */
async function post<Data>(path: string, body: unknown = {}): Promise<Data> {
  const response = await fetch(`${service.server.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.buyer.apiKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  const responseBody = (await response.json()) as { data: Data };
  expect(response.ok, JSON.stringify(responseBody)).toBe(true);
  return responseBody.data;
}

/** Verifies a delivery with the library. */
function verify(secret: string, { body, headers }: Arrival): unknown {
  return new StandardWebhook(secret).verify(String(body), headers as Record<string, string>);
}

async function waitForArrivals(inbox: Receiver, count: number): Promise<Arrival[]> {
  return [...(await inbox.until(({ length }) => length >= count))];
}

describe('the library standardwebhooks', () => {
  it('accepts a delivery of every event type', async () => {
    const inbox = await startInbox();
    const events: EventType[] = ['order.created'];
    const { id, secret } = await registerWebhook(buyerClient(), { url: inbox.url, events });
    for (const event of eventTypes) await post(`/v1/webhooks/${id}/test`, { event });
    await placeOrder();
    const arrivals = await waitForArrivals(inbox, eventTypes.length + 1);
    const verified = arrivals.map((arrival) => verify(secret, arrival) as { event: EventType });
    expect(verified.map(({ event }) => event).sort()).toEqual(
      [...eventTypes, 'order.created'].sort(),
    );
    const samples = arrivals.filter(({ headers }) => headers['tradepost-test'] === 'true');
    expect(samples).toHaveLength(eventTypes.length);
  });

  it('accepts each attempt of a delivery, with the same ID', async () => {
    const inbox = await startInbox((number) => (number === 1 ? 500 : 204));
    const { secret } = await registerWebhook(buyerClient(), {
      url: inbox.url,
      events: ['order.created'],
    });
    await placeOrder();
    const [first, second] = (await waitForArrivals(inbox, 2)) as [Arrival, Arrival];
    expect(verify(secret, second)).toEqual(verify(secret, first));
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(second.headers['webhook-timestamp']).not.toBe(first.headers['webhook-timestamp']);
  });

  it('rejects a delivery that was changed, or given another timestamp or ID', async () => {
    const inbox = await startInbox();
    const { secret } = await registerWebhook(buyerClient(), {
      url: inbox.url,
      events: ['order.created'],
    });
    await placeOrder();
    const [arrival] = (await waitForArrivals(inbox, 1)) as [Arrival];
    const { body, headers } = arrival;
    const changed = Buffer.from(String(body).replace('order.created', 'order.cheated'));
    const later = String(Number(headers['webhook-timestamp']) + 1);
    for (const faked of [
      { body: changed, headers },
      { body, headers: { ...headers, 'webhook-timestamp': later } },
      { body, headers: { ...headers, 'webhook-id': 'evt_another' } },
    ]) {
      expect(() => verify(secret, faked)).toThrow(WebhookVerificationError);
    }
  });

  it('accepts deliveries with both secrets during a rotation, and afterwards only with the new one', async () => {
    const inbox = await startInbox();
    const events: EventType[] = ['order.created'];
    const { id, secret } = await registerWebhook(buyerClient(), { url: inbox.url, events });
    const staged = await post<{ secret: string }>(`/v1/webhooks/${id}/secret`);
    await placeOrder();
    const [between] = (await waitForArrivals(inbox, 1)) as [Arrival];
    expect(verify(secret, between)).toEqual(verify(staged.secret, between));

    await post(`/v1/webhooks/${id}/secret/promote`);
    await placeOrder();
    const [, after] = (await waitForArrivals(inbox, 2)) as [Arrival, Arrival];
    expect(verify(staged.secret, after)).toMatchObject({ event: 'order.created' });
    expect(() => verify(secret, after)).toThrow(WebhookVerificationError);
  });
});
