import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  alignHealth,
  latestBackoffUntil,
  newEndpointHealth,
  nextAllowedAt,
  nextHealth,
  resetBackoff,
} from '../../src/deliveries/endpoint-health';
import { noon } from '../helpers/builders';
import {
  anyAttempts,
  failed,
  failedWithRetryAfter,
  healthAfter,
  minute,
  rounds,
  second,
  succeeded,
} from './attempt-results';

describe('the health of an endpoint', () => {
  test('starts with four concurrent attempts and without backoff', () => {
    expect(newEndpointHealth).toEqual({
      concurrencyLimit: 4,
      failures: 0,
      failedAt: 0,
      backoffUntil: 0,
      lastStatus: null,
      lastError: null,
      failingSince: 0,
    });
  });

  test('allows one more attempt after each success, up to 32', () => {
    const allowances = Array.from({ length: 30 }, (_, count) => {
      const successes = Array.from({ length: count }, (_, index) => succeeded(noon + index));
      return healthAfter(...successes).concurrencyLimit;
    });
    expect(allowances).toEqual(Array.from({ length: 30 }, (_, count) => Math.min(4 + count, 32)));
  });

  test('halves the concurrency limit after each round of failures, down to one, and backs off from the fifth on', () => {
    const successes = Array.from({ length: 28 }, () => succeeded(noon - minute));
    const healths = [0, 1, 2, 3, 4, 5, 6].map((count) =>
      healthAfter(...successes, ...rounds(count)),
    );
    expect(healths.map(({ concurrencyLimit }) => concurrencyLimit)).toEqual([
      32, 16, 8, 4, 2, 1, 1,
    ]);
    expect(healths.map(({ failures }) => failures)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(healths.map(({ backoffUntil }) => backoffUntil > 0)).toEqual([
      ...Array.from({ length: 5 }, () => false),
      true,
      true,
    ]);
  });

  test('backs off for 5 s, then three times as long each time, up to 5 min', () => {
    const pauses = [5, 6, 7, 8, 9, 10, 400].map((count) => {
      const { backoffUntil, failedAt } = healthAfter(...rounds(count));
      return backoffUntil - failedAt;
    });
    const most = 5 * minute;
    expect(pauses).toEqual([5_000, 15_000, 45_000, 135_000, most, most, most]);
  });

  test('treats one success as the end of all failures, and allows one more attempt', () => {
    expect(healthAfter(...rounds(9), succeeded(noon + 60 * minute))).toEqual({
      concurrencyLimit: 2,
      failures: 0,
      failedAt: 0,
      backoffUntil: 0,
      lastStatus: 204,
      lastError: null,
      failingSince: 0,
    });
  });

  test('has how the last attempt ended, of the same round of failures too', () => {
    const timeout = { ...failed(noon + 20, 21), status: null, error: 'timeout' };
    expect(healthAfter(failed(noon))).toMatchObject({ lastStatus: 500, lastError: null });
    expect(healthAfter(failed(noon), timeout)).toMatchObject({
      failures: 1,
      lastStatus: null,
      lastError: 'timeout',
    });
  });

  test('is failing since the first failure after the last success', () => {
    const again = [succeeded(noon + 60 * minute), failed(noon + 61 * minute)];
    expect(healthAfter(...rounds(9)).failingSince).toBe(noon);
    expect(healthAfter(...rounds(9), ...again).failingSince).toBe(noon + 61 * minute);
    expect(resetBackoff(healthAfter(...rounds(9))).failingSince).toBe(noon);
  });

  test('is failing since no later than the clock shows after it was set back', () => {
    fc.assert(
      fc.property(fc.nat(60 * minute), (back) => {
        const now = noon + 8 * minute - back;
        const { failingSince, failedAt } = alignHealth(healthAfter(...rounds(9)), now);
        expect(failingSince).toBe(Math.min(noon, now));
        expect(failedAt).toBe(now);
      }),
    );
  });

  test('counts attempts that were in flight together as one failure, in whichever order they are recorded', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(15 * second), fc.nat(999)), { minLength: 1, maxLength: 32 }),
        (together) => {
          // All of them are in flight at noon. They are recorded as they end, apart from reordering in a batch.
          const ends = together
            .map(([remains]) => remains)
            .sort((one, other) => one - other)
            .map((remains, index) => noon + remains + (together[index]?.[1] ?? 0))
            .map((endedAt) => failed(endedAt, endedAt - noon + 1));
          expect(healthAfter(...ends).failures).toBe(1);
        },
      ),
    );
  });

  test('counts an attempt that began after a recorded failure as a new round', () => {
    const first = failed(noon);
    expect(healthAfter(first, failed(noon + 20, 20)).failures).toBe(2);
    expect(healthAfter(first, failed(noon + 20, 21)).failures).toBe(1);
  });

  test('counts an attempt to the last round however late it is recorded', () => {
    fc.assert(
      // From 1 ms: one that starts in the millisecond of the recorded failure is a new round, as above.
      fc.property(fc.integer({ min: 1, max: 15 * second }), fc.nat(10 * minute), (took, late) => {
        const requested = failedWithRetryAfter(noon + late, 5 * minute, late + took + 1);
        const health = healthAfter(requested, failed(noon, took));
        expect(health).toMatchObject({ failures: 1, backoffUntil: noon + late + 5 * minute });
      }),
    );
  });

  test('counts failures also after the clock was set back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 16 * second, max: 10 ** 9 }), (back) => {
        const now = noon - back;
        const adjusted = alignHealth(healthAfter(...rounds(4)), now);
        expect(adjusted).toMatchObject({ failures: 4, failedAt: now });
        const { failures, backoffUntil } = nextHealth(adjusted, failed(now + minute));
        expect([failures, backoffUntil]).toEqual([5, now + minute + 5 * second]);
      }),
    );
  });

  test('does not include other fields of a queue, which may have changed meanwhile', () => {
    const queue = { ...healthAfter(...rounds(5)), depth: 7, inFlight: 2, paused: true };
    const parts = [
      ...['backoffUntil', 'concurrencyLimit', 'failedAt', 'failingSince'],
      ...['failures', 'lastError', 'lastStatus'],
    ];
    for (const attempt of [...rounds(6), succeeded(noon + 60 * minute)]) {
      expect(Object.keys(nextHealth(queue, attempt)).sort()).toEqual(parts);
    }
    expect(Object.keys(resetBackoff(queue)).sort()).toEqual(parts);
  });

  test('stays within its bounds after any sequence of attempts', () => {
    fc.assert(
      fc.property(anyAttempts, (attempts) => {
        let health = newEndpointHealth;
        let latestEnd = 0;
        for (const attempt of attempts) {
          health = nextHealth(health, attempt);
          latestEnd = Math.max(latestEnd, attempt.endedAt);
          const { concurrencyLimit, failures, failedAt, failingSince, backoffUntil } = health;
          expect(Number.isInteger(concurrencyLimit)).toBe(true);
          expect(concurrencyLimit).toBeGreaterThanOrEqual(1);
          expect(concurrencyLimit).toBeLessThanOrEqual(32);
          expect(backoffUntil).toBeLessThanOrEqual(latestBackoffUntil(latestEnd));
          if (attempt.acknowledged)
            expect({ failures, failedAt }).toEqual({ failures: 0, failedAt: 0 });
          expect(failingSince > 0).toBe(failures > 0);
          expect(failingSince).toBeLessThanOrEqual(failedAt);
          if (failures < 5) continue;
          expect(concurrencyLimit).toBe(1);
          expect(backoffUntil - failedAt).toBeGreaterThanOrEqual(5 * second);
        }
      }),
    );
  });

  test('without a requested wait, does not back off before the fifth round', () => {
    fc.assert(
      fc.property(anyAttempts, (attempts) => {
        let didBackOff = false;
        let health = newEndpointHealth;
        for (const attempt of attempts) {
          health = nextHealth(health, { ...attempt, retryAfter: null });
          didBackOff ||= health.failures >= 5;
          if (!didBackOff) expect(health.backoffUntil).toBe(0);
        }
      }),
    );
  });

  test('does not depend on a requested wait, except for the backoff', () => {
    fc.assert(
      fc.property(anyAttempts, (attempts) => {
        const unrequested = healthAfter(...attempts.map((one) => ({ ...one, retryAfter: null })));
        const requested = healthAfter(...attempts);
        expect({ ...requested, backoffUntil: 0 }).toEqual({ ...unrequested, backoffUntil: 0 });
      }),
    );
  });
});

describe('the backoff of an endpoint', () => {
  test('ends at its time', () => {
    const health = { ...newEndpointHealth, rateUntil: 0, backoffUntil: noon + minute };
    expect(nextAllowedAt(health, noon)).toBe(noon + minute);
    expect(nextAllowedAt(health, noon + minute)).toBe(noon + minute);
    expect(nextAllowedAt(health, noon + minute + 1)).toBe(noon + minute + 1);
  });

  test('is over now if there is none', () => {
    expect(nextAllowedAt({ ...newEndpointHealth, rateUntil: 0 }, noon)).toBe(noon);
  });

  test('is never in the past and never longer than 5 min, even if the clock was set', () => {
    fc.assert(
      fc.property(fc.nat(10 ** 13), fc.nat(10 ** 13), (backoffUntil, now) => {
        const end = nextAllowedAt({ ...newEndpointHealth, rateUntil: 0, backoffUntil }, now);
        expect(end).toBeGreaterThanOrEqual(now);
        expect(end).toBeLessThanOrEqual(latestBackoffUntil(now));
        expect(latestBackoffUntil(now)).toBe(now + 5 * minute);
      }),
    );
  });

  test('lasts as long as scheduled when the clock is set back, and no longer than 5 min', () => {
    fc.assert(
      fc.property(
        fc.nat(10 * minute),
        fc.integer({ min: -minute, max: 10 ** 10 }),
        (requested, back) => {
          const health = healthAfter(failedWithRetryAfter(noon, requested));
          const now = noon - back;
          const { backoffUntil, failedAt } = alignHealth(health, now);
          expect(failedAt).toBe(Math.min(noon, now));
          expect(backoffUntil).toBeLessThanOrEqual(latestBackoffUntil(now));
          if (back >= 0 && requested > 0)
            expect(backoffUntil).toBe(now + Math.min(requested, 5 * minute));
          // The clock was not set back: no backoff is in the future.
          if (back <= 0) expect(backoffUntil).toBe(health.backoffUntil);
        },
      ),
    );
  });

  test('ends when a person resets it; the concurrency limit stays low', () => {
    const backingOff = healthAfter(...rounds(7));
    expect(resetBackoff(backingOff)).toEqual({ ...backingOff, backoffUntil: 0 });
    const again = nextHealth(resetBackoff(backingOff), failed(noon + 60 * minute));
    expect(again).toMatchObject({ concurrencyLimit: 1, failures: 8 });
  });
});
