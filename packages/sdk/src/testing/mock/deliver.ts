import { deliveryHeaderNames as names } from '@tradepost/contract/wire';
import { type Attempt, isAcknowledged } from '@tradepost/domain/deliveries/delivery';
import { resetBackoff } from '@tradepost/domain/deliveries/endpoint-health';
import { toDeliveryResponse } from '@tradepost/domain/deliveries/logged-delivery';
import type { MemoryDelivery } from '@tradepost/domain/memory/memory-data';
import type { MemoryStore } from '@tradepost/domain/memory/memory-store';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import type { Delivery } from '@tradepost/sdk';
import { createRandom } from '../seeded-random';
import {
  createSignedDelivery,
  type SignDeliveryOptions,
  type SignedDelivery,
  signWithStaged,
} from '../sign-delivery';
import { requireKnown } from './require-known';

/** A receiver: takes a web request, such as `receiver.fetch` of `webhookReceiver`. */
export type MockReceiver = (request: Request) => Response | Promise<Response>;

/** How much of a response body an attempt keeps. */
const snippetLength = 1_000;

/** The lease of the deliveries that a mock sends. No worker makes any. */
const leaseToken = 'deliver';

/** Options of `deliver`. */
export interface MockDeliverOptions {
  /**
   * When the deliveries are sent, for `webhook-timestamp`: pass it to a receiver with a clock of its own.
   * @default Date.now(), the clock of a receiver
   */
  sentAt?: Date | number | undefined;
  /**
   * Whether they are sent in another order than their events happened. True is the same order in each run; each integer is
   * another one. @default false
   */
  shuffle?: boolean | number | undefined;
  /**
   * How often each delivery is sent, as if all acknowledgements of the receiver but the last were lost. With `shuffle`, others
   * may be sent in between. @default 1
   */
  copies?: number | undefined;
}

/**
 * Sends each delivery that is due to a receiver, one after another, and records the results. What is not acknowledged is due
 * again at once, and no endpoint backs off.
 *
 * @param standard whether to send the headers of Standard Webhooks
 * @throws {TypeError} when an argument is not valid, or the receiver returns no `Response`; and what the receiver throws
 */
export async function deliver(
  { data, deliveries, deliveryLog }: MemoryStore,
  now: number,
  receive: MockReceiver,
  standard: boolean,
  options: MockDeliverOptions = {},
): Promise<Delivery[]> {
  requireKnown('deliver', options, { sentAt: true, shuffle: true, copies: true });
  const { sentAt = Date.now(), shuffle = false, copies = 1 } = options;
  if (typeof receive !== 'function') {
    throw new TypeError('deliver needs a function, such as receiver.fetch of webhookReceiver.');
  }
  if (!(Number.isInteger(copies) && copies > 0)) {
    throw new TypeError(`deliver: copies must be an integer of at least 1 (got ${copies}).`);
  }
  if (typeof shuffle !== 'boolean' && !Number.isInteger(shuffle)) {
    throw new TypeError(`deliver: shuffle must be true, false or an integer (got ${shuffle}).`);
  }
  await deliveries.failOverdue({ now, limit: Number.POSITIVE_INFINITY });
  // All that is pending is due at once: a change after a list by time is later than the clock.
  const due = [...data.deliveries.values()].filter(({ dueAt }) => dueAt !== null);
  const turns = due.flatMap((delivery) =>
    Array<MemoryDelivery>(delivery.test ? 1 : copies).fill(delivery),
  );
  if (shuffle !== false) shuffleWith(turns, createRandom(Number(shuffle)));
  const sent = new Map<string, Delivery>();
  for (const [index, delivery] of turns.entries()) {
    const webhook = data.webhooks.get(delivery.webhookId);
    // It may have been paused or deleted, also by the receiver.
    if (webhook?.isDeleted !== false || webhook.status !== 'active') continue;
    const { body = '', orderVersion = null } = data.events.get(delivery.eventId) ?? {};
    const sequence = data.getSequence(webhook.accountId, delivery.eventId);
    const position = sequence === null ? null : { sequence, orderVersion };
    const signing = { body, id: delivery.eventId, sentAt: +sentAt, standard, position };
    const signed = await sign(signing, webhook, delivery.test);
    // The receiver may have called `deliver` too.
    if (delivery.dueAt === null) continue;
    const lease = { token: leaseToken, worker: undefined, until: now, counts: false };
    delivery.dueAt = null;
    data.setLease(delivery, lease);
    const { attempt: made, thrown } = await send(signed, webhook.url, receive, now);
    const isLost = isAcknowledged(made) && turns.includes(delivery, index + 1);
    const attempt = isLost ? { ...made, ...lost } : made;
    await record(deliveries, delivery, attempt, now);
    const queue = data.getQueue(webhook.id);
    queue.health = resetBackoff(queue.health);
    // The attempt is a lost connection, as it would be for the service. The test learns why.
    if (thrown) throw thrown.error;
    const logged = await deliveryLog.findDelivery(webhook.accountId, delivery.id);
    if (logged) sent.set(delivery.id, toDeliveryResponse(logged, now));
  }
  return [...sent.values()];
}

/** Shuffles a list in place, each order with the same probability (Fisher and Yates). */
function shuffleWith<Item>(items: Item[], random: () => number): void {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [items[last], items[other]] = [items[other] as Item, items[last] as Item];
  }
}

function requireResponse(response: Response): Response {
  if (typeof response?.status === 'number' && typeof response.text === 'function') return response;
  throw new TypeError(`The receiver must return a Response (got ${response}).`);
}

async function sign(
  signing: Omit<Extract<SignDeliveryOptions, { event?: undefined }>, 'secret'>,
  { secret, stagedSecret }: Pick<Webhook, 'secret' | 'stagedSecret'>,
  isTest: boolean,
): Promise<SignedDelivery> {
  const signed = await signWithStaged({ ...signing, secret }, stagedSecret);
  if (!signing.standard || !isTest) return signed;
  return createSignedDelivery(signed.body, { ...signed.headers, [names.test]: 'true' });
}

/** What an attempt has whose response was lost. */
const lost = { status: null, error: 'connection_reset', responseSnippet: '' } as const;

/** Sends a delivery. Returns the attempt, and what the receiver threw. */
async function send(
  signed: SignedDelivery,
  url: string,
  receive: MockReceiver,
  startedAt: number,
): Promise<{ attempt: Attempt; thrown?: { error: unknown } }> {
  const { headers } = signed;
  const common = { startedAt, durationMs: 0, url, headers, retryAfter: null };
  try {
    const { status, ...response } = await readResponse(await receive(signed.toRequest(url)));
    return { attempt: { ...common, ...response, status, error: null } };
  } catch (error) {
    return { attempt: { ...common, ...lost }, thrown: { error } };
  }
}

async function readResponse(response: Response) {
  const { status } = requireResponse(response);
  return { status, responseSnippet: (await response.text()).slice(0, snippetLength) };
}

/** Records an attempt. A test event is attempted once; any other one is due again at once. */
async function record(
  deliveries: MemoryStore['deliveries'],
  { id: deliveryId, attemptCount, test }: MemoryDelivery,
  attempt: Attempt,
  now: number,
): Promise<void> {
  const state = isAcknowledged(attempt) ? 'delivered' : test ? 'failed' : 'pending';
  const nextAttemptAt = state === 'pending' ? now : null;
  const number = attemptCount + 1;
  await deliveries.recordAttempts(
    [{ deliveryId, leaseToken, number, attempt, state, nextAttemptAt }],
    now,
  );
}
