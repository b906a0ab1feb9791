import { backoff } from './retry-schedule';

/** How many attempts at once an endpoint starts with: little enough that one which hangs takes little. */
const firstAllowance = 4;
const largestAllowance = 32;
/** Rounds of failure after which an endpoint counts as failing: from then on it is tried one delivery at a time. */
const failuresUntilHeld = 5;
const longestHold = 5 * 60 * 1000;

/**
 * How one endpoint fares, which decides how many attempts it may have under way. What one endpoint does
 * changes nothing for another.
 */
export interface EndpointHealth {
  /** How many attempts may be under way at once. */
  allowance: number;
  /** Failures in a row. Attempts that were under way together fail as one. */
  failures: number;
  /** When the last of these was noted, in milliseconds since 1970; 0 when there is none. */
  failedAt: number;
  /** No attempt before this moment, in milliseconds since 1970; 0 when nothing holds it. */
  heldUntil: number;
}

/** An endpoint that nothing is known of. */
export const newEndpointHealth: EndpointHealth = {
  allowance: firstAllowance,
  failures: 0,
  failedAt: 0,
  heldUntil: 0,
};

/** How an attempt ended, as far as its endpoint's health is concerned. Milliseconds since 1970. */
export interface AttemptEnd {
  acknowledged: boolean;
  startedAt: number;
  endedAt: number;
  /** How long the receiver asked us to wait, in milliseconds; null when it did not. */
  retryAfter: number | null;
}

/** Health without what else its object may hold: that belongs to the caller, who may be changing it. */
function healthAlone({ allowance, failures, failedAt, heldUntil }: EndpointHealth): EndpointHealth {
  return { allowance, failures, failedAt, heldUntil };
}

/**
 * The end of a hold that an attempt did not outlast; 0 when there is none. Nothing is tried during a hold: what
 * ends before it does was under way when it began, and cannot tell that it is over.
 */
function endOfStandingHold({ heldUntil }: EndpointHealth, { endedAt }: AttemptEnd): number {
  return heldUntil > endedAt ? heldUntil : 0;
}

/** The end of the hold that a receiver asks for when it refuses; 0 when it asks for none. */
function endOfAskedHold({ retryAfter, endedAt }: AttemptEnd): number {
  const pause = Math.min(retryAfter ?? 0, longestHold);
  return pause > 0 ? endedAt + pause : 0;
}

/**
 * What an endpoint's health is after an attempt. Each success allows one attempt more, each round of
 * failure halves what is allowed. After five rounds the endpoint is held: one attempt, then a pause that
 * grows from 5 s to 5 min, until one succeeds. It is never given up. A receiver that refuses and asks
 * for time has it at once, up to 5 min, from all its deliveries. Source: RFC 9110, section 10.2.3.
 */
export function healthAfter(health: EndpointHealth, attempt: AttemptEnd): EndpointHealth {
  const standing = endOfStandingHold(health, attempt);
  if (attempt.acknowledged) {
    const allowance = Math.min(health.allowance + 1, largestAllowance);
    return { allowance, failures: 0, failedAt: 0, heldUntil: standing };
  }
  const asked = endOfAskedHold(attempt);
  // It was under way when the last failure was noted, so it tells nothing new.
  if (attempt.startedAt < health.failedAt)
    return { ...healthAlone(health), heldUntil: Math.max(health.heldUntil, asked) };
  const failures = health.failures + 1;
  const held = failures >= failuresUntilHeld;
  const pause = Math.min(backoff(failures - failuresUntilHeld + 1), longestHold);
  return {
    allowance: held ? 1 : Math.max(1, Math.floor(health.allowance / 2)),
    failures,
    failedAt: attempt.endedAt,
    heldUntil: Math.max(standing, asked, held ? attempt.endedAt + pause : 0),
  };
}

/** The latest moment at which a hold ends, in milliseconds since 1970: it never lasts longer than 5 min. */
export function latestEndOfHold(now: number): number {
  return now + longestHold;
}

/**
 * The earliest moment of an endpoint's next attempt, in milliseconds since 1970: now, unless it is held.
 * A hold never lasts longer than 5 min, whatever became of the clock since.
 */
export function endOfHold({ heldUntil }: EndpointHealth, now: number): number {
  return Math.max(Math.min(heldUntil, latestEndOfHold(now)), now);
}

/**
 * Health once the clock was set back: a hold that began at what is now a time to come lasts as long as it had
 * to, from now on.
 *
 * @param now Milliseconds since 1970.
 */
export function healthAfterSetback(health: EndpointHealth, now: number): EndpointHealth {
  const ahead = Math.max(0, health.failedAt - now);
  const heldUntil = Math.min(health.heldUntil - ahead, latestEndOfHold(now));
  return { ...healthAlone(health), failedAt: health.failedAt - ahead, heldUntil };
}

/**
 * Health after a person has stepped in, by a new URL, a resumption or a replay: nothing holds the
 * endpoint any more, yet it has to prove itself.
 */
export function healthAfterMending(health: EndpointHealth): EndpointHealth {
  return { ...healthAlone(health), heldUntil: 0 };
}
