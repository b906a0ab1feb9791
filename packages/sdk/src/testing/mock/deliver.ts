import { deliveryHeaderNames as names } from '@tradepost/contract/wire';
import type { Delivery, DeliveryAttempt } from '../../index';
import { createSignedDelivery, type SignedDelivery, signDelivery } from '../sign-delivery';
import { toDelivery } from './deliveries';
import type { DeliveryRecord, Market, WebhookRecord } from './market';

/** A receiver: takes a web request, such as `receiver.fetch` of `webhookReceiver`. */
export type MockReceiver = (request: Request) => Response | Promise<Response>;

/** How much of a response body an attempt keeps. */
const snippetLength = 1_000;

/** Options of `deliver`. */
export interface MockDeliverOptions {
  /**
   * When the deliveries are sent, for `webhook-timestamp`: pass it to a receiver with a clock of its own.
   * @default Date.now(), the clock of a receiver
   */
  sentAt?: Date | number | undefined;
}

/**
 * Sends each delivery that is due to a receiver, one after another, and writes down the results.
 *
 * @param standard whether to send the headers of Standard Webhooks
 * @throws {TypeError} when the receiver is not a function, or returns no `Response`; and what it throws
 */
export async function deliver(
  market: Market,
  receive: MockReceiver,
  standard: boolean,
  { sentAt = Date.now() }: MockDeliverOptions = {},
): Promise<Delivery[]> {
  if (typeof receive !== 'function') {
    throw new TypeError('deliver needs a function, such as receiver.fetch of webhookReceiver.');
  }
  const now = market.clock.timestamp();
  const due = market.deliveries.filter(
    ({ state, nextAttemptAt }) =>
      state === 'pending' && nextAttemptAt !== null && nextAttemptAt <= now,
  );
  const sent: Delivery[] = [];
  for (const delivery of due) {
    const webhook = market.webhooks.find(({ id }) => id === delivery.webhookId);
    // It may have been paused or deleted, also by the receiver.
    if (webhook?.status !== 'active') continue;
    if (delivery.deadlineAt < now) {
      Object.assign(delivery, { state: 'failed', nextAttemptAt: null, finishedAt: now });
      continue;
    }
    const signed = await sign(delivery, webhook, +sentAt, standard);
    const { result, thrown } = await attempt(delivery, webhook, signed, receive, now);
    writeResult(delivery, webhook, result, now);
    // The attempt is a lost connection, as it would be for the service. The test learns why.
    if (thrown) throw thrown.error;
    sent.push(toDelivery(market, delivery));
  }
  return sent;
}

function requireResponse(response: Response): Response {
  if (typeof response?.status === 'number' && typeof response.text === 'function') return response;
  throw new TypeError(`The receiver must return a Response (got ${response}).`);
}

async function sign(
  { eventId, body, test, position }: DeliveryRecord,
  { secret, stagedSecret }: WebhookRecord,
  sentAt: number,
  standard: boolean,
): Promise<SignedDelivery> {
  const signing = { body, id: eventId, sentAt, standard, position };
  const signed = await signDelivery({ ...signing, secret });
  if (!standard) return signed;
  const headers: Record<string, string> = {
    ...signed.headers,
    ...(test && { [names.test]: 'true' }),
  };
  if (stagedSecret !== null) {
    const { headers: staged } = await signDelivery({ ...signing, secret: stagedSecret });
    for (const name of [names.webhookSignature, names.positionSignature]) {
      if (name in staged) headers[name] = `${staged[name]} ${headers[name]}`;
    }
  }
  return createSignedDelivery(signed.body, headers);
}

/** Sends a delivery. Returns the result, and what the receiver threw. */
async function attempt(
  { attemptCount }: DeliveryRecord,
  { url }: WebhookRecord,
  signed: SignedDelivery,
  receive: MockReceiver,
  startedAt: string,
): Promise<{ result: DeliveryAttempt; thrown?: { error: unknown } }> {
  const { headers } = signed;
  const number = attemptCount + 1;
  const common = { number, startedAt, durationMs: 0, url, headers };
  try {
    const response = requireResponse(await receive(signed.toRequest(url)));
    const responseSnippet = (await response.text()).slice(0, snippetLength);
    return { result: { ...common, status: response.status, error: null, responseSnippet } };
  } catch (error) {
    const result = {
      ...common,
      status: null,
      error: 'connection_reset',
      responseSnippet: '',
    } as const;
    return { result, thrown: { error } };
  }
}

function writeResult(
  delivery: DeliveryRecord,
  webhook: WebhookRecord,
  result: DeliveryAttempt,
  now: string,
): void {
  const { status, error } = result;
  const isDelivered = status !== null && status >= 200 && status < 300;
  // A test event is attempted once; any other one is due again.
  const state = isDelivered ? 'delivered' : delivery.test ? 'failed' : 'pending';
  const isFinal = state !== 'pending';
  delivery.attempts.push(result);
  Object.assign(delivery, {
    state,
    attemptCount: result.number,
    lastStatus: status,
    lastError: error,
    nextAttemptAt: isFinal ? null : now,
    finishedAt: isFinal ? now : null,
  });
  webhook.consecutiveFailures = isDelivered ? 0 : webhook.consecutiveFailures + 1;
}
