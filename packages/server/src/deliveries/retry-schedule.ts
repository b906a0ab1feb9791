const firstDelay = 5_000;
const factor = 3;
const longestDelay = 6 * 60 * 60 * 1000;
const jitter = 0.1;

/** What the time of the next attempt depends on. All times are milliseconds, since 1970 where absolute. */
export interface RetryTimes {
  /** Attempts made since the delivery was queued: 1 after the first. */
  attempts: number;
  /** When the last attempt ended. */
  now: number;
  /** The latest moment at which an attempt may start and still end before the deadline. */
  lastStartAt: number;
  /** How long the receiver asked us to wait; null when it did not. */
  retryAfter: number | null;
}

/** The pause after a number of attempts, before jitter: 5 s, then three times as long each time, at most 6 h. */
export function backoff(attempts: number): number {
  return Math.min(firstDelay * factor ** (attempts - 1), longestDelay);
}

/**
 * When to try again: exponential backoff with ±10% jitter, no sooner than the receiver asked for.
 * The last attempt is made just before the deadline; null when the one that ended was the last.
 *
 * @param random Numbers from 0 to below 1.
 */
export function retryAt(times: RetryTimes, random: () => number): number | null {
  const { attempts, now, lastStartAt, retryAfter } = times;
  // What is left is less than the shortest pause: the attempt that ended was the last.
  if (lastStartAt - now < firstDelay) return null;
  const jittered = Math.round(backoff(attempts) * (1 - jitter + 2 * jitter * random()));
  return Math.min(now + Math.max(jittered, retryAfter ?? 0), lastStartAt);
}
