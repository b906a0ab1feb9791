/** The statuses that a later attempt may not meet again. */
const passingStatuses = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The wait grows from here, doubling … */
const firstBackoffMs = 500;
/** … up to here. */
const longestBackoffMs = 8_000;

/** An attempt that failed, as far as the decision to repeat it goes. */
export interface FailedAttempt {
  /** Which attempt it was, counted from 1. */
  attempt: number;
  /** How many attempts may follow the first. */
  maxRetries: number;
  /** The answer's status; null when there was no answer, or only a part of one. */
  status: number | null;
  /** Whether a second effect of the same request would be harmless. */
  repeatable: boolean;
  /** Whether it is sure that the attempt had no effect. */
  withoutEffect: boolean;
  /** What `Retry-After` asks for, in milliseconds; null when it asks for nothing. */
  retryAfterMs: number | null;
  /** Milliseconds until the call's deadline. */
  remainingMs: number;
}

/**
 * Decides whether a failed attempt is repeated: milliseconds to wait, or null to give up.
 *
 * The wait is random between nothing and a bound that doubles from 0.5 s to 8 s ("full jitter"),
 * and never shorter than `Retry-After`. It never ends after the deadline.
 *
 * @param random a number from 0 (inclusive) to 1 (exclusive)
 */
export function retryDelay(failed: FailedAttempt, random: number): number | null {
  if (failed.attempt > failed.maxRetries) return null;
  if (failed.status !== null && !passingStatuses.has(failed.status)) return null;
  if (!failed.repeatable && !failed.withoutEffect) return null;
  const bound = Math.min(longestBackoffMs, firstBackoffMs * 2 ** (failed.attempt - 1));
  const delay = Math.max(random * bound, failed.retryAfterMs ?? 0);
  return delay < failed.remainingMs ? delay : null;
}
