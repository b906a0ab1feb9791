import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attemptTimeoutMs, leaseMs, retryWindowMs } from '../../src/deliveries/delivery';
import { backoff, nextRetryAt, type RetryContext } from '../../src/deliveries/endpoint-health';
import { noon } from '../helpers/builders';

const minute = 60_000;
const hour = 60 * minute;
const lastStartAt = noon + retryWindowMs - attemptTimeoutMs;
/** The latest end of an attempt that is followed by another: the shortest pause before the last start. */
const latestEnd = lastStartAt - 5_000;

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const retryAfter = fc.option(fc.integer({ min: 0, max: 999_999_999_000 }), { nil: null });
const attempts = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 10 ** 9 }));
/** Any time from long before the event to long after the deadline. */
const now = fc.oneof(
  fc.integer({ min: noon, max: lastStartAt }),
  fc.integer({ min: latestEnd - 10, max: lastStartAt }),
  fc.integer({ min: noon - 10 * retryWindowMs, max: noon + 10 * retryWindowMs }),
);

function startTimes(overrides: Partial<RetryContext> = {}): RetryContext {
  return { attemptCount: 1, now: noon, lastStartAt, retryAfter: null, ...overrides };
}

/** Returns when each attempt starts if the receiver fails for a day, in milliseconds after the event. */
function failForADay(
  nextRandom: () => number,
  getDuration: () => number,
  requestedWaits: () => number | null,
) {
  const starts = [0];
  for (let at = 0; ; ) {
    const ended = noon + at + getDuration();
    const next = nextRetryAt(
      startTimes({ attemptCount: starts.length, now: ended, retryAfter: requestedWaits() }),
      nextRandom,
    );
    if (next === null) return starts;
    at = next - noon;
    starts.push(at);
    if (starts.length > 1_000) throw new Error('it never ends');
  }
}

describe('in the retry schedule', () => {
  test('the pauses are 5 s, then three times as long each time, and 6 h at most', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1_000, 10 ** 9].map(backoff);
    expect(pauses).toEqual([
      5_000,
      15_000,
      45_000,
      135_000,
      405_000,
      1_215_000,
      3_645_000,
      10_935_000,
      ...Array.from({ length: 5 }, () => 6 * hour),
    ]);
  });

  test('a retry is never after the last start, and never before the shortest pause; if there is no time for one, the delivery fails', () => {
    fc.assert(
      fc.property(attempts, now, retryAfter, random, (made, at, requested, chance) => {
        const times = startTimes({ attemptCount: made, now: at, retryAfter: requested });
        const next = nextRetryAt(times, () => chance);
        if (at > latestEnd) {
          expect(next).toBeNull();
          return;
        }
        expect(next).toBeGreaterThanOrEqual(at + 4_500);
        expect(next).toBeLessThanOrEqual(lastStartAt);
        expect(Number.isInteger(next)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test('the jitter stays within a tenth of the pause', () => {
    fc.assert(
      fc.property(attempts, random, (made, chance) => {
        const far = startTimes({ attemptCount: made, lastStartAt: noon + 1_000 * retryWindowMs });
        const pause = (nextRetryAt(far, () => chance) ?? 0) - noon;
        expect(pause).toBeGreaterThanOrEqual(0.9 * backoff(made));
        expect(pause).toBeLessThanOrEqual(1.1 * backoff(made));
      }),
    );
  });

  test('the jitter uses its whole range', () => {
    expect(nextRetryAt(startTimes(), () => 0)).toBe(noon + 4_500);
    expect(nextRetryAt(startTimes(), () => 0.5)).toBe(noon + 5_000);
    expect(nextRetryAt(startTimes(), () => 1 - 2 ** -32)).toBe(noon + 5_500);
  });

  test('a retry waits as long as the receiver requested, but not past the last start', () => {
    fc.assert(
      fc.property(
        attempts,
        fc.integer({ min: noon, max: latestEnd }),
        fc.integer({ min: 0, max: 3 * retryWindowMs }),
        random,
        (made, at, requested, chance) => {
          const times = startTimes({ attemptCount: made, now: at, retryAfter: requested });
          const next = nextRetryAt(times, () => chance) ?? 0;
          expect(next).toBeGreaterThanOrEqual(Math.min(at + requested, lastStartAt));
          const own = nextRetryAt({ ...times, retryAfter: null }, () => chance) ?? 0;
          expect(next).toBe(Math.max(own, Math.min(at + requested, lastStartAt)));
        },
      ),
    );
  });

  test('a receiver that requests less than the pause does not shorten it', () => {
    expect(nextRetryAt(startTimes({ attemptCount: 5, retryAfter: 1_000 }), () => 0.5)).toBe(
      noon + 405_000,
    );
  });

  test('a last attempt follows as long as the shortest pause is left before it, and then no more', () => {
    expect(nextRetryAt(startTimes({ attemptCount: 12, now: latestEnd }), () => 0.5)).toBe(
      lastStartAt,
    );
    expect(nextRetryAt(startTimes({ attemptCount: 12, now: latestEnd + 1 }), () => 0.5)).toBeNull();
    expect(nextRetryAt(startTimes({ now: latestEnd, retryAfter: 0 }), () => 0)).toBe(
      latestEnd + 4_500,
    );
    expect(nextRetryAt(startTimes({ now: latestEnd + 1, retryAfter: 0 }), () => 0)).toBeNull();
  });

  test('a receiver that fails for a day gets 12 to 14 attempts, the last one as late as possible', () => {
    const durations = fc.array(fc.integer({ min: 0, max: attemptTimeoutMs }), { minLength: 20 });
    fc.assert(
      fc.property(fc.infiniteStream(random), durations, (chances, took) => {
        const starts = failForADay(
          () => chances.next().value,
          () => took.shift() ?? 0,
          () => null,
        );
        expect(starts.length).toBeGreaterThanOrEqual(12);
        expect(starts.length).toBeLessThanOrEqual(14);
        expect(starts.at(-1)).toBeGreaterThan(latestEnd - attemptTimeoutMs - noon);
        expect(starts.at(-1)).toBeLessThanOrEqual(lastStartAt - noon);
      }),
    );
  });

  test('the attempts of a day have fixed times without jitter', () => {
    const starts = failForADay(
      () => 0.5,
      () => 0,
      () => null,
    );
    expect(starts.map((at) => at / 1_000)).toEqual([
      0, 5, 20, 65, 200, 605, 1_820, 5_465, 16_400, 38_000, 59_600, 81_200, 86_385,
    ]);
  });

  test('a receiver that always requests a week still gets its last attempt', () => {
    const starts = failForADay(
      () => 0.5,
      () => 0,
      () => 7 * retryWindowMs,
    );
    expect(starts).toEqual([0, lastStartAt - noon]);
  });

  test('a clock that is set back repeatedly delays the schedule, but neither stops nor repeats it', () => {
    const jumps = fc.array(fc.integer({ min: -12 * hour, max: hour }), { maxLength: 30 });
    fc.assert(
      fc.property(jumps, random, (steps, chance) => {
        let clock = noon;
        let made = 0;
        for (let next: number | null = noon; next !== null; ) {
          clock = Math.max(clock, next);
          made += 1;
          clock += steps.shift() ?? 0;
          next = nextRetryAt(startTimes({ attemptCount: made, now: clock }), () => chance);
          if (next !== null) expect(next).toBeGreaterThan(clock);
          if (made > 1_000) throw new Error('it never ends');
        }
        expect(clock).toBeGreaterThan(latestEnd);
      }),
    );
  });

  test('a lease outlasts every attempt', () => {
    expect(leaseMs).toBeGreaterThan(attemptTimeoutMs);
  });
});
