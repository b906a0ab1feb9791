import type { EventType, NotificationType } from '@tradepost/contract';
import type { DomainEvent } from '../events/event';
import { type CommandContext, clockTolerance } from '../kernel/context';
import type { Notification } from '../notifications/notification';
import { type AttemptEnd, nextRetryAt, type RetryContext } from './endpoint-health';

/** How long a delivery is retried after its event: 24 hours. Source: API specification, "Retries". */
export const retryWindowMs = 24 * 60 * 60 * 1000;

/** The time limit of one attempt in milliseconds, including the response body. */
export const attemptTimeoutMs = 15_000;

const recordingAllowanceMs = 10_000;

/** How long a lease lasts in milliseconds: longer than any attempt and its recording, so that no attempt is made twice. */
export const leaseMs = attemptTimeoutMs + recordingAllowanceMs;

/** How long a delivery is postponed if no attempt could be made, in milliseconds. */
export const maxPostponementMs = 1_000;

/** How many attempts of one delivery are stored. Its schedule has about ten, and each replay starts again. */
export const maxStoredAttempts = 100;

/** The state of a delivery. `delivered` and `failed` are final. */
export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** One event to be sent to one webhook. */
export interface Delivery {
  /** `dlv_<id>`. */
  id: string;
  eventId: string;
  webhookId: string;
  eventType: EventType;
  /** Whether it carries a test event. */
  test: boolean;
  state: DeliveryState;
  /** When the next attempt is due, in milliseconds since 1970. */
  nextAttemptAt: number;
  /** When retrying stops, in milliseconds since 1970. */
  deadlineAt: number;
  /** When it was queued, which is when its event happened, in milliseconds since 1970. */
  createdAt: number;
}

/** A leased delivery with everything that an attempt needs. */
export interface LeasedDelivery {
  id: string;
  eventId: string;
  /** Identifies the lease. A result is recorded only while the lease is valid. */
  leaseToken: string;
  /** Attempts recorded so far. */
  attemptCount: number;
  /** Those of them since it was queued or replayed. The retry schedule depends on them. */
  scheduledTries: number;
  deadlineAt: number;
  webhookId: string;
  url: string;
  /** The endpoint secret. Reading it throws a `StoreUnavailableError` if the store cannot decrypt it. */
  secret: string;
  /** The next secret. Until it is promoted, `webhook-signature` contains a signature by each secret. */
  stagedSecret: string | null;
  /** Headers of the webhook's own, by name. Reading it may throw as reading `secret` does. */
  headers: Readonly<Record<string, string>>;
  /** The serialized envelope of the event. */
  body: string;
  /** The version of the order after the change that caused the event; null if the event is not about an order. */
  orderVersion: number | null;
  /** The sequence number of the event in the log of the webhook's account; null for a test event, which is in none. */
  sequence: number | null;
  /** When the delivery was queued, in milliseconds since 1970. */
  createdAt: number;
  /** Whether it carries a test event, which is attempted once. */
  test: boolean;
  /** `traceparent`, and `tracestate` after a space, of the change that queued it last; null if that was not traced. */
  traceContext: string | null;
}

/** The result of one attempt. A receiver's rejection is data, not an exception. */
export interface Attempt {
  /** Milliseconds since 1970. */
  startedAt: number;
  /** How long it took, in milliseconds. */
  durationMs: number;
  /** The URL it was sent to. */
  url: string;
  /** The request headers, in their documented spelling. */
  headers: Record<string, string>;
  /** The HTTP status of the response; null if there was none. */
  status: number | null;
  /** Why there was no complete response, such as `timeout` or `connection_refused`; null if it was complete. */
  error: string | null;
  /** The first 1,000 bytes of the response body, as text. */
  responseSnippet: string;
  /** The wait that the receiver requested, in milliseconds; null if it requested none. */
  retryAfter: number | null;
}

/** What is recorded after an attempt, or in place of one. */
export interface AttemptResult {
  deliveryId: string;
  leaseToken: string;
  /** Attempts made so far, including this one. */
  number: number;
  /** Null if none was completed: the deadline had passed, or the server shut down. */
  attempt: Attempt | null;
  state: DeliveryState;
  /** When the next attempt is due, in milliseconds since 1970; null unless the delivery is pending. */
  nextAttemptAt: number | null;
}

/** Creates a delivery of an event. It is due at once. */
export function newDelivery(
  event: Pick<DomainEvent, 'id' | 'eventType' | 'createdAt'>,
  webhookId: string,
  context: CommandContext,
): Delivery {
  return {
    id: context.newId('dlv'),
    eventId: event.id,
    webhookId,
    eventType: event.eventType,
    test: false,
    state: 'pending',
    nextAttemptAt: context.now,
    deadlineAt: event.createdAt + retryWindowMs,
    createdAt: context.now,
  };
}

/**
 * Returns whether a receiver acknowledged the delivery, which only a 2xx status does. The status alone decides, even if the
 * body was truncated. Source: API specification, "Retries".
 */
export function isAcknowledged(attempt: Pick<Attempt, 'status'>): boolean {
  return attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
}

/** Returns whether an attempt failed because this machine had no socket or port, which the receiver did not cause. */
export function isLocalShortage({ error }: Attempt): boolean {
  return error === 'socket_exhaustion' || error === 'out_of_ports';
}

/** Returns the parts of an attempt that affect the health of its endpoint. */
export function attemptEndedAt(attempt: Attempt): AttemptEnd {
  const { startedAt, durationMs, status, error, retryAfter } = attempt;
  const endedAt = startedAt + durationMs;
  return { acknowledged: isAcknowledged(attempt), status, error, startedAt, endedAt, retryAfter };
}

/** Returns the result of an attempt: delivered, pending with a retry, or failed. */
export function resolveAttempt(
  delivery: LeasedDelivery,
  attempt: Attempt,
  random: () => number,
): AttemptResult {
  const { id: deliveryId, leaseToken } = delivery;
  const number = delivery.attemptCount + 1;
  // Object literals: at thousands of attempts a second, spreading one object into another costs as much as a signature.
  const end = (state: DeliveryState, nextAttemptAt: number | null = null): AttemptResult => ({
    deliveryId,
    leaseToken,
    number,
    attempt,
    state,
    nextAttemptAt,
  });
  if (isAcknowledged(attempt)) return end('delivered');
  if (delivery.test) return end('failed');
  const times: RetryContext = {
    attemptCount: delivery.scheduledTries + 1,
    now: attempt.startedAt + attempt.durationMs,
    lastStartAt: delivery.deadlineAt - attemptTimeoutMs,
    retryAfter: attempt.retryAfter,
  };
  const nextAttemptAt = nextRetryAt(times, random);
  return end(nextAttemptAt === null ? 'failed' : 'pending', nextAttemptAt);
}

/**
 * Returns the result for a delivery whose attempt was interrupted by a shutdown or could not start for lack of a socket: it is
 * due again as if there had been no attempt, because the receiver is not at fault.
 *
 * @param nextAttemptAt Milliseconds since 1970.
 */
export function resolveInterrupted(delivery: LeasedDelivery, nextAttemptAt: number): AttemptResult {
  const { id: deliveryId, leaseToken, attemptCount: number } = delivery;
  return { deliveryId, leaseToken, number, attempt: null, state: 'pending', nextAttemptAt };
}

/**
 * Returns the result for a delivery whose deadline passed while no worker ran: failed without another attempt. Returns null
 * before the deadline. Source: API specification, "Retries".
 */
export function resolveExpired(delivery: LeasedDelivery, now: number): AttemptResult | null {
  const { id: deliveryId, leaseToken, attemptCount: number, deadlineAt } = delivery;
  if (now <= deadlineAt) return null;
  return { deliveryId, leaseToken, number, attempt: null, state: 'failed', nextAttemptAt: null };
}

/**
 * Aligns an attempt with a clock that was set back during or after it, so that the attempt does not end in the future.
 *
 * @param now Milliseconds since 1970.
 */
export function alignAttempt(attempt: Attempt, now: number): Attempt {
  const ahead = attempt.startedAt + attempt.durationMs - now;
  return ahead <= clockTolerance ? attempt : { ...attempt, startedAt: attempt.startedAt - ahead };
}

/**
 * Aligns a result with a clock that was set back since, so that its wait does not get longer.
 *
 * @param now The time of recording, in milliseconds since 1970.
 */
export function alignResult(result: AttemptResult, now: number): AttemptResult {
  const { attempt, nextAttemptAt } = result;
  if (attempt === null) {
    if (nextAttemptAt === null) return result;
    return { ...result, nextAttemptAt: Math.min(nextAttemptAt, now + maxPostponementMs) };
  }
  const aligned = alignAttempt(attempt, now);
  if (aligned === attempt) return result;
  const ahead = attempt.startedAt - aligned.startedAt;
  return {
    ...result,
    attempt: aligned,
    nextAttemptAt: nextAttemptAt === null ? null : nextAttemptAt - ahead,
  };
}

/** A delivery that was requested goes ahead of deliveries that have waited longer than this, in milliseconds. */
const shortWaitMs = 1_000;

/**
 * Returns the due time that puts a delivery that was requested ahead of everything that has waited in its queue: just before the
 * first one.
 *
 * @param first When the first one in the queue is due, in milliseconds since 1970; null if the queue is empty.
 */
export function dueAhead(first: number | null, now: number): number {
  return first === null || first > now - shortWaitMs ? now : first - 1;
}

/** Among how many queues a lease request is shared at most, because each queue costs a query. The others come next. */
export const maxQueuesPerLease = 16;

/** Returns how many deliveries a request for `limit` leases from each queue at most, if that many queues are ready. */
export function fairShare(limit: number, readyQueues: number): number {
  return Math.max(1, Math.floor(limit / Math.min(readyQueues, maxQueuesPerLease)));
}

/** Records that an attempt was made, in place of what could not be stored of it. */
const notStorable = 'unexpected (result_not_storable)';

/**
 * Returns what to record of a result that a store rejects, from the most to the least: without the response, and without the headers
 * as well. Status, state, number and due time stay, so that no delivery is repeated because of its result.
 */
export function reduceResult(result: AttemptResult): AttemptResult[] {
  if (result.attempt === null) return [];
  const { status, error } = result.attempt;
  const attempt = {
    ...result.attempt,
    responseSnippet: '',
    // A complete response has no error, also if it cannot be stored.
    error: status === null || error !== null ? notStorable : null,
  };
  return [
    { ...result, attempt },
    { ...result, attempt: { ...attempt, headers: {} } },
  ];
}

/** What an event causes. It is written in the same transaction as the event. */
export interface FanOutResult {
  notifications: Notification[];
  deliveries: Delivery[];
}

/** A webhook that subscribes to an event. */
export interface Subscriber {
  accountId: string;
  webhookId: string;
}

/** Creates the notifications of an event, one for each recipient; none without an order to name. */
export function createNotifications(event: DomainEvent, context: CommandContext): Notification[] {
  const orderId = event.orderId ?? event.notifiedOrderId ?? null;
  if (orderId === null) return [];
  return event.recipients.map((accountId) => ({
    id: context.newId('ntf'),
    accountId,
    eventId: event.id,
    type: event.eventType.replace('.', '_') as NotificationType,
    orderId,
    message: event.message,
    read: false,
    createdAt: event.createdAt,
  }));
}

/**
 * Returns what an event causes: a notification for each recipient, and a delivery for each of their webhooks that subscribes to
 * its type. One that is more than its account may have pending has failed already.
 *
 * @param findSubscribers Returns the webhooks of some accounts that subscribe to an event type.
 * @param hasRoom Takes the place of a pending delivery of an account. Returns false if none is left.
 */
export function fanOut(
  event: DomainEvent,
  findSubscribers: (accountIds: string[], eventType: DomainEvent['eventType']) => Subscriber[],
  hasRoom: (accountId: string) => boolean,
  context: CommandContext,
): FanOutResult {
  const subscribers = findSubscribers(event.recipients, event.eventType).filter(
    ({ webhookId }) => webhookId !== event.exceptWebhookId,
  );
  return {
    notifications: createNotifications(event, context),
    deliveries: subscribers.map(({ webhookId, accountId }) => {
      const delivery = newDelivery(event, webhookId, context);
      if (!hasRoom(accountId)) delivery.state = 'failed';
      return delivery;
    }),
  };
}
