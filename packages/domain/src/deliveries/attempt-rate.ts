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
