import type {
  DeliveryAttempt,
  DeliveryDetails,
  Delivery as DeliveryResponse,
  StatusClass,
} from '@tradepost/contract/wire';
import { formatTimestamp } from '../kernel/context';
import { DomainError } from '../kernel/errors';
import { type Attempt, type Delivery, retryWindowMs } from './delivery';
import { latestBackoffUntil } from './endpoint-health';

/** A delivery and the results of its attempts so far. */
export interface LoggedDelivery extends Omit<Delivery, 'nextAttemptAt'> {
  /** The order of its event; null for a test event. */
  orderId: string | null;
  /** When the next attempt is scheduled, in milliseconds since 1970; null if the delivery is final or leased. */
  nextAttemptAt: number | null;
  /** Whether a worker has leased it. */
  inProgress: boolean;
  /** Whether its webhook is paused. A paused delivery waits, regardless of its schedule. */
  paused: boolean;
  /** Its endpoint gets no attempt before this time, in milliseconds since 1970. A time in the past has no effect. */
  backoffUntil: number;
  /** The same by the limit of attempts of its endpoint. */
  rateUntil: number;
  attemptCount: number;
  /** HTTP status of the last attempt's response; null if there was none. */
  lastStatus: number | null;
  /** Why the last attempt got no complete response; null if it got one. */
  lastError: string | null;
  /** When it was delivered or failed, in milliseconds since 1970; null while pending. */
  finishedAt: number | null;
}

/** An attempt in the delivery log. */
export interface LoggedAttempt extends Omit<Attempt, 'retryAfter'> {
  number: number;
}

/** A delivery with its body and all of its attempts. */
export interface DeliveryRecord extends LoggedDelivery {
  body: string;
  /** Oldest first. */
  attempts: LoggedAttempt[];
}

/** Filters a list of deliveries. */
export interface DeliveryFilter {
  webhookId?: string;
  eventId?: string;
  orderId?: string;
  eventType?: Delivery['eventType'];
  state?: Delivery['state'];
  /** Queued at this time or later, in milliseconds since 1970. */
  since?: number;
  /** Queued before this time, in milliseconds since 1970. */
  until?: number;
  statusClass?: StatusClass;
}

function isOfClass({ lastStatus, lastError }: LoggedDelivery, wanted: StatusClass): boolean {
  if (wanted === 'none') return lastStatus === null && lastError !== null;
  return lastStatus !== null && `${Math.floor(lastStatus / 100)}xx` === wanted;
}

/** Returns whether a filter finds a delivery. */
export function matchesFilter(delivery: LoggedDelivery, filter: DeliveryFilter): boolean {
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = filter;
  return (
    delivery.webhookId === (filter.webhookId ?? delivery.webhookId) &&
    delivery.eventId === (filter.eventId ?? delivery.eventId) &&
    delivery.orderId === (filter.orderId ?? delivery.orderId) &&
    delivery.eventType === (filter.eventType ?? delivery.eventType) &&
    delivery.state === (filter.state ?? delivery.state) &&
    delivery.createdAt >= since &&
    delivery.createdAt < until &&
    (filter.statusClass === undefined || isOfClass(delivery, filter.statusClass))
  );
}

/** Returns whether a filter finds only deliveries of one event or one order, which are few. */
export function isOfFewEvents({ eventId, orderId }: DeliveryFilter): boolean {
  return eventId !== undefined || orderId !== undefined;
}

/**
 * Returns whether a page with this filter may require a search through many deliveries. The other filters have indexes, so
 * their pages are read at once.
 */
export function needsSearch(filter: DeliveryFilter): boolean {
  const { eventType, statusClass } = filter;
  return !isOfFewEvents(filter) && (eventType !== undefined || statusClass !== undefined);
}

/** Creates the error for a delivery that does not exist or belongs to another account. */
export function deliveryNotFound(id: string): DomainError {
  return new DomainError(
    'delivery_not_found',
    `No delivery ${JSON.stringify(id)} belongs to this account. Check the ID (dlv_<id>) and the API key. Old deliveries are pruned.`,
  );
}

/** Converts a new delivery of a test event to its log entry, for an endpoint without backoff. */
export function toLoggedDelivery(delivery: Delivery): LoggedDelivery {
  const noAttempts = { attemptCount: 0, lastStatus: null, lastError: null, finishedAt: null };
  const ready = { inProgress: false, paused: false, backoffUntil: 0, rateUntil: 0 };
  return { ...delivery, orderId: null, ...ready, ...noAttempts };
}

/**
 * Makes a delivery due again with a new deadline 24 hours from now. It sends the same bytes. The backoff of its endpoint ends;
 * a paused endpoint still waits.
 *
 * @throws DomainError `delivery_in_progress`.
 */
export function replayDelivery(delivery: LoggedDelivery, now: number): LoggedDelivery {
  if (delivery.inProgress) {
    throw new DomainError(
      'delivery_in_progress',
      `An attempt of delivery ${delivery.id} is in flight. Wait for its result before you replay the delivery.`,
    );
  }
  return {
    ...delivery,
    state: 'pending',
    nextAttemptAt: now,
    deadlineAt: now + retryWindowMs,
    backoffUntil: 0,
    finishedAt: null,
  };
}

/** What a request to replay several deliveries does. */
export interface Replays {
  /** The deliveries that are due again, as they are then. */
  deliveries: LoggedDelivery[];
  /** How many were left out because an attempt is in flight. */
  skipped: number;
}

/**
 * Replays the deliveries that a filter has found, as `replayDelivery` does. Leaves out those in flight, and those that have
 * changed since, so that the filter does not find them any more.
 */
export function replayMatching(
  found: readonly LoggedDelivery[],
  filter: DeliveryFilter,
  now: number,
): Replays {
  const matching = found.filter((delivery) => matchesFilter(delivery, filter));
  const waiting = matching.filter(({ inProgress }) => !inProgress);
  const deliveries = waiting.map((delivery) => replayDelivery(delivery, now));
  return { deliveries, skipped: matching.length - waiting.length };
}

/** Returns when the next attempt is expected, given the schedule and the backoff of the endpoint. */
function getNextAttemptAt(delivery: LoggedDelivery, now: number): number | null {
  const { nextAttemptAt, paused, backoffUntil } = delivery;
  if (nextAttemptAt === null || paused) return null;
  return Math.max(nextAttemptAt, Math.min(backoffUntil, latestBackoffUntil(now)));
}

/** Converts a delivery to the contract's delivery. */
export function toDeliveryResponse(delivery: LoggedDelivery, now: number): DeliveryResponse {
  const orNull = (time: number | null) => (time === null ? null : formatTimestamp(time));
  return {
    id: delivery.id,
    webhookId: delivery.webhookId,
    eventId: delivery.eventId,
    event: delivery.eventType,
    orderId: delivery.orderId,
    state: delivery.state,
    test: delivery.test,
    attemptCount: delivery.attemptCount,
    lastStatus: delivery.lastStatus,
    lastError: delivery.lastError,
    nextAttemptAt: orNull(getNextAttemptAt(delivery, now)),
    deadlineAt: formatTimestamp(delivery.deadlineAt),
    createdAt: formatTimestamp(delivery.createdAt),
    finishedAt: orNull(delivery.finishedAt),
  };
}

function toAttemptResponse(attempt: LoggedAttempt): DeliveryAttempt {
  return { ...attempt, startedAt: formatTimestamp(attempt.startedAt) };
}

/** Converts a delivery with its body and attempts to the contract's details. */
export function toDeliveryDetailsResponse(record: DeliveryRecord, now: number): DeliveryDetails {
  return {
    ...toDeliveryResponse(record, now),
    body: record.body,
    attempts: record.attempts.map(toAttemptResponse),
  };
}
