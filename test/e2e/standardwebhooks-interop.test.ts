import { type EventType, eventTypes } from '@tradepost/contract';
import { Tradepost } from '@tradepost/sdk';
import { Webhook as StandardWebhook, WebhookVerificationError } from 'standardwebhooks';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Arrival, type Receiver, startReceiver } from '../helpers/start-receiver';
import { type SeededServer, startSeededServer } from '../helpers/start-seeded-server';

// The library is one that others wrote, for the deliveries of others. It knows nothing of this service.

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

function buyerClient(): Tradepost {
  return new Tradepost({ baseUrl: service.server.url, apiKey: service.buyer.apiKey });
}

async function placeOrder(): Promise<void> {
  const listingId = service.seed.listings[0]?.id ?? '';
  await buyerClient().orders.create({ listingId, quantity: 1 });
}

/** Asks for something that the SDK has no word for. */
async function post<Data>(path: string, body: unknown = {}): Promise<Data> {
  const response = await fetch(`${service.server.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.buyer.apiKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { data: Data };
  expect(response.ok, JSON.stringify(answer)).toBe(true);
  return answer.data;
}

/** What the library makes of a delivery as it arrived. */
function verify(secret: string, { body, headers }: Arrival): unknown {
  return new StandardWebhook(secret).verify(String(body), headers as Record<string, string>);
}

async function arrivalsOf(inbox: Receiver, count: number): Promise<Arrival[]> {
  return [...(await inbox.until(({ length }) => length >= count))];
}

describe('the library standardwebhooks, as it is', () => {
  it('accepts a delivery of every kind of event', async () => {
    const inbox = await receiver();
    const events: EventType[] = ['order.created'];
    const { id, secret } = await buyerClient().webhooks.create({ url: inbox.url, events });
    for (const event of eventTypes) await post(`/v1/webhooks/${id}/test`, { event });
    await placeOrder();
    const arrivals = await arrivalsOf(inbox, eventTypes.length + 1);
    const verified = arrivals.map((arrival) => verify(secret, arrival) as { event: EventType });
    expect(verified.map(({ event }) => event).sort()).toEqual(
      [...eventTypes, 'order.created'].sort(),
    );
    const samples = arrivals.filter(({ headers }) => headers['tradepost-test'] === 'true');
    expect(samples).toHaveLength(eventTypes.length);
  });

  it('accepts each attempt at a delivery, and knows it again by its id', async () => {
    const inbox = await receiver((number) => (number === 1 ? 500 : 204));
    const { secret } = await buyerClient().webhooks.create({
      url: inbox.url,
      events: ['order.created'],
    });
    await placeOrder();
    const [first, second] = (await arrivalsOf(inbox, 2)) as [Arrival, Arrival];
    expect(verify(secret, second)).toEqual(verify(secret, first));
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(second.headers['webhook-timestamp']).not.toBe(first.headers['webhook-timestamp']);
  });

  it('refuses a delivery that somebody changed, or kept for later', async () => {
    const inbox = await receiver();
    const { secret } = await buyerClient().webhooks.create({
      url: inbox.url,
      events: ['order.created'],
    });
    await placeOrder();
    const [arrival] = (await arrivalsOf(inbox, 1)) as [Arrival];
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

  it('accepts deliveries with the old secret and the new one while they change, and then with the new one alone', async () => {
    const inbox = await receiver();
    const events: EventType[] = ['order.created'];
    const { id, secret } = await buyerClient().webhooks.create({ url: inbox.url, events });
    const staged = await post<{ secret: string }>(`/v1/webhooks/${id}/secret`);
    await placeOrder();
    const [between] = (await arrivalsOf(inbox, 1)) as [Arrival];
    expect(verify(secret, between)).toEqual(verify(staged.secret, between));

    await post(`/v1/webhooks/${id}/secret/promote`);
    await placeOrder();
    const [, after] = (await arrivalsOf(inbox, 2)) as [Arrival, Arrival];
    expect(verify(staged.secret, after)).toMatchObject({ event: 'order.created' });
    expect(() => verify(secret, after)).toThrow(WebhookVerificationError);
  });
});
