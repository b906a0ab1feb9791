import type { EventKind } from '@tradepost/contract';
import { clockTolerance } from '../clock';
import type { DomainEvent } from '../events/domain-event';
import type { Moment } from '../moment';
import type { AttemptEnd } from './endpoint-queue';
import { type RetryTimes, retryAt } from './retry-schedule';

/** For how long after its event a delivery is tried: 24 hours. Source: the interface, "Retries". */
export const retryWindow = 24 * 60 * 60 * 1000;

/** How many milliseconds one attempt may take in all, the answer's body included. */
export const attemptTimeout = 15_000;

const timeToRecord = 10_000;

/** How long a worker may keep a claimed delivery: longer than any attempt and its record, so that none is made twice. */
export const leaseTime = attemptTimeout + timeToRecord;

/** For how long a delivery is put off that could not be tried, in milliseconds. */
export const longestPostponement = 1_000;

/** Where a delivery stands. `delivered` and `failed` are final. */
export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** The sending of one event to one webhook, over all its attempts. */
export interface Delivery {
  /** `dlv_<id>`. */
  id: string;
  eventId: string;
  webhookId: string;
  kind: EventKind;
  /** Whether it carries a sample that its account asked for. */
  test: boolean;
  state: DeliveryState;
  /** When it is to be tried next, in milliseconds since 1970. */
  nextAttemptAt: number;
  /** When it is given up, in milliseconds since 1970. */
  deadlineAt: number;
  /** Milliseconds since 1970. */
  createdAt: number;
}

/** A delivery in a worker's hands, with all that an attempt needs. */
export interface ClaimedDelivery {
  id: string;
  eventId: string;
  /** The store's token for this claim on this delivery: an outcome is recorded only while the claim stands. */
  token: string;
  /** Attempts that were made and recorded before. */
  attempts: number;
  /** Those of them that were made since it was queued or replayed: the schedule goes by these. */
  tries: number;
  deadlineAt: number;
  webhookId: string;
  url: string;
  /** The endpoint secret. */
  secret: string;
  /** A secret that is to follow it: until it is promoted, `webhook-signature` is made with both. */
  stagedSecret: string | null;
  /** The envelope's bytes as they were rendered when the event happened. */
  body: string;
  /** When the delivery was queued, in milliseconds since 1970. */
  createdAt: number;
  /** Whether it carries a sample that its account asked for: it is tried once. */
  test: boolean;
}

/** How one attempt went. A receiver's refusal is data, not an exception. */
export interface Attempt {
  /** Milliseconds since 1970. */
  startedAt: number;
  /** Milliseconds that it took. */
  duration: number;
  /** Where it went. */
  url: string;
  /** The headers that it was sent with, in their documented spelling. */
  headers: Record<string, string>;
  /** The answer's HTTP status; null when there was none. */
  status: number | null;
  /** Why there was no answer or it broke off, such as `timeout` or `connection_refused`; null when it came whole. */
  error: string | null;
  /** The first 1,000 bytes of the answer's body, as text. */
  excerpt: string;
  /** How long the receiver asked us to wait, in milliseconds; null when it did not. */
  retryAfter: number | null;
}

/** What an attempt makes of a delivery, or what comes instead of one. */
export interface Outcome {
  deliveryId: string;
  token: string;
  /** Attempts made so far, this one included. */
  number: number;
  /** Null when none was made to its end: the deadline had passed, or the server stopped. */
  attempt: Attempt | null;
  state: DeliveryState;
  /** When to try next, in milliseconds since 1970; null unless still pending. */
  nextAttemptAt: number | null;
}

/** A new delivery of an event, due at once. */
export function newDelivery(
  event: Pick<DomainEvent, 'id' | 'kind' | 'createdAt'>,
  webhookId: string,
  moment: Moment,
): Delivery {
  return {
    id: moment.newId('dlv'),
    eventId: event.id,
    webhookId,
    kind: event.kind,
    test: false,
    state: 'pending',
    nextAttemptAt: moment.now,
    deadlineAt: event.createdAt + retryWindow,
    createdAt: moment.now,
  };
}

/**
 * Whether a receiver took the delivery: any 2xx, and nothing else. The status alone decides, even when
 * the body after it broke off. Source: the interface, "Retries".
 */
export function isAcknowledged(attempt: Attempt): boolean {
  return attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
}

/** Whether an attempt found no socket or port on this machine: the receiver has no part in that. */
export function isLocalShortage({ error }: Attempt): boolean {
  return error === 'out_of_sockets' || error === 'out_of_ports';
}

/** An attempt's end, as far as its endpoint's health is concerned. */
export function endOfAttempt(attempt: Attempt): AttemptEnd {
  const { startedAt, duration, retryAfter } = attempt;
  const endedAt = startedAt + duration;
  return { acknowledged: isAcknowledged(attempt), startedAt, endedAt, retryAfter };
}

/** What a delivery comes to after an attempt: delivered, tried again later, or failed for good. */
export function afterAttempt(
  delivery: ClaimedDelivery,
  attempt: Attempt,
  random: () => number,
): Outcome {
  const { id: deliveryId, token } = delivery;
  const number = delivery.attempts + 1;
  // Literals: at thousands a second, spreading one object into another costs as much as a signature.
  const end = (state: DeliveryState, nextAttemptAt: number | null = null): Outcome => ({
    deliveryId,
    token,
    number,
    attempt,
    state,
    nextAttemptAt,
  });
  if (isAcknowledged(attempt)) return end('delivered');
  if (delivery.test) return end('failed');
  const times: RetryTimes = {
    attempts: delivery.tries + 1,
    now: attempt.startedAt + attempt.duration,
    lastStartAt: delivery.deadlineAt - attemptTimeout,
    retryAfter: attempt.retryAfter,
  };
  const nextAttemptAt = retryAt(times, random);
  return end(nextAttemptAt === null ? 'failed' : 'pending', nextAttemptAt);
}

/**
 * What a delivery comes to whose attempt this server broke off, because it stopped, or could not begin, for lack
 * of a socket: due again as if there had been none. The receiver is not to blame.
 *
 * @param nextAttemptAt Milliseconds since 1970.
 */
export function afterInterruption(delivery: ClaimedDelivery, nextAttemptAt: number): Outcome {
  const { id: deliveryId, token, attempts: number } = delivery;
  return { deliveryId, token, number, attempt: null, state: 'pending', nextAttemptAt };
}

/**
 * What a delivery comes to that could not be tried again before its deadline, because no worker ran:
 * failed, without another attempt. Null while there is time. Source: the interface, "Retries".
 */
export function afterDeadline(delivery: ClaimedDelivery, now: number): Outcome | null {
  const { id: deliveryId, token, attempts: number, deadlineAt } = delivery;
  if (now <= deadlineAt) return null;
  return { deliveryId, token, number, attempt: null, state: 'failed', nextAttemptAt: null };
}

/**
 * An attempt by a clock that was set back in the midst of it, or since: it would have ended at a time to come.
 *
 * @param now Milliseconds since 1970.
 */
export function alignAttempt(attempt: Attempt, now: number): Attempt {
  const ahead = attempt.startedAt + attempt.duration - now;
  return ahead <= clockTolerance ? attempt : { ...attempt, startedAt: attempt.startedAt - ahead };
}

/**
 * An outcome by a clock that was set back since: what waits by its times would wait for as long again.
 *
 * @param now Milliseconds since 1970, when it is recorded.
 */
export function alignOutcome(outcome: Outcome, now: number): Outcome {
  const { attempt, nextAttemptAt } = outcome;
  if (attempt === null) {
    if (nextAttemptAt === null) return outcome;
    return { ...outcome, nextAttemptAt: Math.min(nextAttemptAt, now + longestPostponement) };
  }
  const aligned = alignAttempt(attempt, now);
  if (aligned === attempt) return outcome;
  const ahead = attempt.startedAt - aligned.startedAt;
  return {
    ...outcome,
    attempt: aligned,
    nextAttemptAt: nextAttemptAt === null ? null : nextAttemptAt - ahead,
  };
}
