/** How many concurrent attempts an endpoint starts with: few, so that one that hangs occupies little. */
const initialConcurrencyLimit = 4;
const maxConcurrencyLimit = 32;
/** Rounds of failures after which an endpoint is in backoff: from then on it gets one attempt at a time. */
export const failuresBeforeBackoff = 5;
const maxBackoffMs = 5 * 60 * 1000;

/**
 * The health of one endpoint, which decides how many attempts it may have in flight. Endpoints do not affect each other.
 */
export interface EndpointHealth {
  /** How many attempts may be in flight at once. */
  concurrencyLimit: number;
  /** Consecutive failures. Attempts that were in flight at the same time count as one. */
  failures: number;
  /** When the last of these was recorded, in milliseconds since 1970; 0 if there is none. */
  failedAt: number;
  /** No attempt is made before this time, in milliseconds since 1970; 0 without backoff. */
  backoffUntil: number;
  /** HTTP status of the response to the last attempt; null if there was none. */
  lastStatus: number | null;
  /** Why the last attempt got no complete response; null if it got one. */
  lastError: string | null;
  /** When the first attempt failed since the last success or resumption, in milliseconds since 1970; 0 if none did. */
  failingSince: number;
}

/** The health of an endpoint without attempts. */
export const newEndpointHealth: EndpointHealth = {
  concurrencyLimit: initialConcurrencyLimit,
  failures: 0,
  failedAt: 0,
  backoffUntil: 0,
  lastStatus: null,
  lastError: null,
  failingSince: 0,
};

/** The parts of an attempt that affect the health of its endpoint. Times are in milliseconds since 1970. */
export interface AttemptEnd {
  acknowledged: boolean;
  /** HTTP status of the response; null if there was none. */
  status: number | null;
  /** Why there was no complete response; null if there was one. */
  error: string | null;
  startedAt: number;
  endedAt: number;
  /** The wait that the receiver requested, in milliseconds; null if it requested none. */
  retryAfter: number | null;
}

/** Copies the health without other properties of the object, which the caller may be changing. */
export function pickHealth({
  concurrencyLimit,
  failures,
  failedAt,
  backoffUntil,
  lastStatus,
  lastError,
  failingSince,
}: EndpointHealth): EndpointHealth {
  return {
    concurrencyLimit,
    failures,
    failedAt,
    backoffUntil,
    lastStatus,
    lastError,
    failingSince,
  };
}

/**
 * Returns the end of a backoff that lasts beyond an attempt; 0 if there is none. No attempt starts during a backoff: one that
 * ends before it was in flight when it started, and cannot show that it is over.
 */
function remainingBackoffUntil({ backoffUntil }: EndpointHealth, { endedAt }: AttemptEnd): number {
  return backoffUntil > endedAt ? backoffUntil : 0;
}

/** Returns the end of the backoff that a receiver requests with a rejection; 0 if it requests none. */
function requestedBackoffUntil({ retryAfter, endedAt }: AttemptEnd): number {
  const pause = Math.min(retryAfter ?? 0, maxBackoffMs);
  return pause > 0 ? endedAt + pause : 0;
}

/**
 * Returns an endpoint's health after an attempt. Each success raises the concurrency limit by one, each round of failures
 * halves it. After five rounds the endpoint is in backoff: one attempt, then a pause that grows from 5 s to 5 min, until one
 * succeeds. `disabling.ts` says when its webhook is disabled. A receiver that rejects and requests a wait gets it at once for all of
 * its deliveries, up to 5 min. Source: RFC 9110, section 10.2.3.
 */
export function nextHealth(health: EndpointHealth, attempt: AttemptEnd): EndpointHealth {
  const remaining = remainingBackoffUntil(health, attempt);
  const { status: lastStatus, error: lastError } = attempt;
  if (attempt.acknowledged) {
    const concurrencyLimit = Math.min(health.concurrencyLimit + 1, maxConcurrencyLimit);
    const noFailure = { failures: 0, failedAt: 0, failingSince: 0 };
    return { concurrencyLimit, backoffUntil: remaining, lastStatus, lastError, ...noFailure };
  }
  const requested = requestedBackoffUntil(attempt);
  // It was in flight when the last failure was recorded, so it belongs to the same round.
  if (attempt.startedAt < health.failedAt) {
    const backoffUntil = Math.max(health.backoffUntil, requested);
    return { ...pickHealth(health), backoffUntil, lastStatus, lastError };
  }
  const failures = health.failures + 1;
  const backsOff = failures >= failuresBeforeBackoff;
  const pause = Math.min(backoff(failures - failuresBeforeBackoff + 1), maxBackoffMs);
  return {
    concurrencyLimit: backsOff ? 1 : Math.max(1, Math.floor(health.concurrencyLimit / 2)),
    failures,
    failedAt: attempt.endedAt,
    backoffUntil: Math.max(remaining, requested, backsOff ? attempt.endedAt + pause : 0),
    lastStatus,
    lastError,
    failingSince: health.failingSince || attempt.endedAt,
  };
}

/** Returns the latest possible end of a backoff, in milliseconds since 1970: no backoff lasts longer than 5 min. */
export function latestBackoffUntil(now: number): number {
  return now + maxBackoffMs;
}

/**
 * Returns when an endpoint's next attempt may start, in milliseconds since 1970: now, or when its backoff is over and its limit of
 * attempts allows one. A backoff never lasts longer than 5 min, even if the clock was set.
 */
export function nextAllowedAt(
  { backoffUntil, rateUntil }: Pick<EndpointHealth & AttemptRate, 'backoffUntil' | 'rateUntil'>,
  now: number,
): number {
  const endOfBackoff = Math.min(backoffUntil, latestBackoffUntil(now));
  return Math.max(endOfBackoff, limitedUntil({ rateUntil }, now), now);
}

/**
 * Returns the health after the clock was set back: a backoff that started in what is now the future starts again from now.
 *
 * @param now Milliseconds since 1970.
 */
export function alignHealth(health: EndpointHealth, now: number): EndpointHealth {
  const ahead = Math.max(0, health.failedAt - now);
  const backoffUntil = Math.min(health.backoffUntil - ahead, latestBackoffUntil(now));
  const failedAt = health.failedAt - ahead;
  const failingSince = Math.min(health.failingSince, failedAt);
  return { ...pickHealth(health), failedAt, failingSince, backoffUntil };
}

/**
 * Returns the health after a user requested a delivery: the backoff ends, but the failures still count until an attempt succeeds.
 */
export function resetBackoff(health: EndpointHealth): EndpointHealth {
  return { ...pickHealth(health), backoffUntil: 0 };
}

/**
 * What starts again when an endpoint that got nothing is resumed: its backoff ends, and for how long it has been failing counts from its
 * next failure, since nobody knows how it fared meanwhile.
 */
export const resumedHealth = { backoffUntil: 0, failingSince: 0 } as const;

const firstDelayMs = 5_000;
const factor = 3;
const maxDelayMs = 6 * 60 * 60 * 1000;
const jitter = 0.1;

/** What the time of the next attempt depends on. Times and durations are in milliseconds, times since 1970. */
export interface RetryContext {
  /** Attempts made since the delivery was queued or replayed: 1 after the first. */
  attemptCount: number;
  /** When the last attempt ended. */
  now: number;
  /** The latest start of an attempt that still ends before the deadline. */
  lastStartAt: number;
  /** The wait that the receiver requested; null if it requested none. */
  retryAfter: number | null;
}

/** Returns the pause after a number of attempts, without jitter: 5 s, then three times as long each time, at most 6 h. */
export function backoff(attemptCount: number): number {
  return Math.min(firstDelayMs * factor ** (attemptCount - 1), maxDelayMs);
}

/**
 * Returns when to try again: exponential backoff with ±10% jitter, not before the time that the receiver requested. The last
 * attempt is made just before the deadline. Returns null after the last attempt.
 *
 * @param random Returns numbers from 0 to below 1.
 */
export function nextRetryAt(times: RetryContext, random: () => number): number | null {
  const { attemptCount, now, lastStartAt, retryAfter } = times;
  // Less time is left than the shortest pause, so this was the last attempt.
  if (lastStartAt - now < firstDelayMs) return null;
  const jittered = Math.round(backoff(attemptCount) * (1 - jitter + 2 * jitter * random()));
  return Math.min(now + Math.max(jittered, retryAfter ?? 0), lastStartAt);
}

/** How often attempts may start at an endpoint. */
export interface AttemptRate {
  /** How many per minute at most; null without a limit. */
  attemptsPerMinute: number | null;
  /** None starts before this time, in milliseconds since 1970; 0 if the limit was never used. */
  rateUntil: number;
}

const minuteMs = 60_000;

/** Up to so many may start at once: those of a second, so that a high limit needs no lease for each. */
function burstOf(attemptsPerMinute: number): number {
  return Math.max(1, Math.floor(attemptsPerMinute / 60));
}

/**
 * Returns until when the limit allows no attempt, in milliseconds since 1970. Two attempts are a minute apart at most, so after the
 * clock was set back nothing waits longer.
 */
export function limitedUntil({ rateUntil }: Pick<AttemptRate, 'rateUntil'>, now: number): number {
  return Math.min(rateUntil, now + minuteMs);
}

/** Returns how many attempts may start now; `Infinity` without a limit. */
export function countAllowed({ attemptsPerMinute, rateUntil }: AttemptRate, now: number): number {
  if (attemptsPerMinute === null) return Number.POSITIVE_INFINITY;
  const unusedMs = now - limitedUntil({ rateUntil }, now);
  if (unusedMs < 0) return 0;
  const saved = Math.floor((unusedMs * attemptsPerMinute) / minuteMs);
  return Math.min(burstOf(attemptsPerMinute), 1 + saved);
}

/**
 * Returns `rateUntil` after attempts started. It is the generic cell rate algorithm: each attempt moves it by the time between two,
 * and what was not used is saved up to a second.
 *
 * @param count At most what `countAllowed` returned.
 */
export function useAttempts(rate: AttemptRate, count: number, now: number): number {
  const { attemptsPerMinute, rateUntil } = rate;
  if (attemptsPerMinute === null || count === 0) return rateUntil;
  const intervalMs = minuteMs / attemptsPerMinute;
  const savedMs = (burstOf(attemptsPerMinute) - 1) * intervalMs;
  const from = Math.max(limitedUntil(rate, now), now - savedMs);
  return Math.ceil(from + count * intervalMs);
}
