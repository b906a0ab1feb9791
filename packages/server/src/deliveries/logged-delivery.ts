import type {
  Delivery as DeliveryAnswer,
  DeliveryAttempt,
  DeliveryDetails,
  HttpClass,
} from '@tradepost/contract/wire';
import { timestamp } from '../clock';
import { DomainError } from '../domain-error';
import { type Attempt, type Delivery, retryWindow } from './delivery';
import { latestEndOfHold } from './endpoint-queue';

/** A delivery with what came of it so far. */
export interface LoggedDelivery extends Omit<Delivery, 'nextAttemptAt'> {
  /** When its schedule has it tried next, in milliseconds since 1970; null once it is final, and while a worker has it. */
  nextAttemptAt: number | null;
  /** Whether a worker has it in its hands. */
  inProgress: boolean;
  /** Whether its webhook is paused: it waits, whatever its schedule says. */
  paused: boolean;
  /** Its endpoint gets no attempt before this moment, in milliseconds since 1970; a past one holds nothing. */
  heldUntil: number;
  attempts: number;
  /** HTTP status of the last attempt's answer; null when there was none. */
  lastStatus: number | null;
  /** Why the last attempt got no whole answer; null when it got one. */
  lastError: string | null;
  /** When it was delivered or failed, in milliseconds since 1970. */
  finishedAt: number | null;
}

/** An attempt as the log keeps it. */
export interface LoggedAttempt extends Omit<Attempt, 'retryAfter'> {
  number: number;
}

/** A delivery with what was sent and all that came of it. */
export interface DeliveryRecord extends LoggedDelivery {
  body: string;
  /** Oldest first. */
  log: LoggedAttempt[];
}

/** Which deliveries a list is to hold. */
export interface DeliveryFilter {
  webhookId?: string;
  kind?: Delivery['kind'];
  state?: Delivery['state'];
  /** Queued at this moment or later, in milliseconds since 1970. */
  since?: number;
  http?: HttpClass;
}

/**
 * Whether a store may have to look through many deliveries for a page with this filter. The other filters are
 * what deliveries are sorted by: a page with those is read at once.
 */
export function needsSearch({ kind, http }: DeliveryFilter): boolean {
  return kind !== undefined || http !== undefined;
}

/** The problem of asking for a delivery that is not there, or that is another account's. */
export function deliveryNotFound(id: string): DomainError {
  return new DomainError(
    'delivery_not_found',
    `No delivery ${JSON.stringify(id)} belongs to this account. Check the id, which reads dlv_<id>, and whose key this is; old deliveries are pruned.`,
  );
}

/** A delivery as it is when it has just been queued for an endpoint that nothing holds. */
export function logged(delivery: Delivery): LoggedDelivery {
  const nothingYet = { attempts: 0, lastStatus: null, lastError: null, finishedAt: null };
  return { ...delivery, inProgress: false, paused: false, heldUntil: 0, ...nothingYet };
}

/**
 * Makes a delivery due again at once, with 24 hours from now: the same event, the same bytes. Nothing holds
 * its endpoint any more; a paused one still waits.
 *
 * @throws DomainError `delivery_in_progress`.
 */
export function replay(delivery: LoggedDelivery, now: number): LoggedDelivery {
  if (delivery.inProgress) {
    throw new DomainError(
      'delivery_in_progress',
      `An attempt of delivery ${delivery.id} is under way. See in a moment what came of it, and then decide.`,
    );
  }
  return {
    ...delivery,
    state: 'pending',
    nextAttemptAt: now,
    deadlineAt: now + retryWindow,
    heldUntil: 0,
    finishedAt: null,
  };
}

/** When a delivery is tried next, as far as can be told: it waits for its schedule, and for its endpoint. */
function nextAttemptOf(delivery: LoggedDelivery, now: number): number | null {
  const { nextAttemptAt, paused, heldUntil } = delivery;
  if (nextAttemptAt === null || paused) return null;
  return Math.max(nextAttemptAt, Math.min(heldUntil, latestEndOfHold(now)));
}

/** A delivery as the interface's extension shows it. */
export function presentDelivery(delivery: LoggedDelivery, now: number): DeliveryAnswer {
  const orNull = (time: number | null) => (time === null ? null : timestamp(time));
  return {
    id: delivery.id,
    webhookId: delivery.webhookId,
    eventId: delivery.eventId,
    event: delivery.kind,
    state: delivery.state,
    test: delivery.test,
    attempts: delivery.attempts,
    lastStatus: delivery.lastStatus,
    lastError: delivery.lastError,
    nextAttemptAt: orNull(nextAttemptOf(delivery, now)),
    deadlineAt: timestamp(delivery.deadlineAt),
    createdAt: timestamp(delivery.createdAt),
    finishedAt: orNull(delivery.finishedAt),
  };
}

function presentAttempt(attempt: LoggedAttempt): DeliveryAttempt {
  return { ...attempt, startedAt: timestamp(attempt.startedAt) };
}

/** A delivery with its body and its attempts, as the interface's extension shows it. */
export function presentDeliveryRecord(record: DeliveryRecord, now: number): DeliveryDetails {
  return {
    ...presentDelivery(record, now),
    body: record.body,
    attemptLog: record.log.map(presentAttempt),
  };
}
