import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  endOfHold,
  healthAfter,
  healthAfterMending,
  healthAfterSetback,
  latestEndOfHold,
  newEndpointHealth,
} from '../../src/deliveries/endpoint-queue';
import { noon } from '../builders';
import {
  anyAttempts,
  askedToWait,
  failed,
  healthOf,
  minute,
  rounds,
  second,
  succeeded,
} from './attempt-ends';

describe('the health of an endpoint', () => {
  test('begins with four attempts at once, and nothing that holds it', () => {
    expect(newEndpointHealth).toEqual({ allowance: 4, failures: 0, failedAt: 0, heldUntil: 0 });
  });

  test('allows one attempt more after each success, 32 at most', () => {
    const allowances = Array.from({ length: 30 }, (_, count) => {
      const successes = Array.from({ length: count }, (_, index) => succeeded(noon + index));
      return healthOf(...successes).allowance;
    });
    expect(allowances).toEqual(Array.from({ length: 30 }, (_, count) => Math.min(4 + count, 32)));
  });

  test('allows half of it after each round of failure, one at least, and holds it from the fifth on', () => {
    const successes = Array.from({ length: 28 }, () => succeeded(noon - minute));
    const healths = [0, 1, 2, 3, 4, 5, 6].map((count) => healthOf(...successes, ...rounds(count)));
    expect(healths.map(({ allowance }) => allowance)).toEqual([32, 16, 8, 4, 2, 1, 1]);
    expect(healths.map(({ failures }) => failures)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(healths.map(({ heldUntil }) => heldUntil > 0)).toEqual([
      ...Array.from({ length: 5 }, () => false),
      true,
      true,
    ]);
  });

  test('is held for 5 s, then three times as long each time, and 5 min at most', () => {
    const pauses = [5, 6, 7, 8, 9, 10, 400].map((count) => {
      const { heldUntil, failedAt } = healthOf(...rounds(count));
      return heldUntil - failedAt;
    });
    const most = 5 * minute;
    expect(pauses).toEqual([5_000, 15_000, 45_000, 135_000, most, most, most]);
  });

  test('takes one success for the end of all failures: from there on it may have one attempt more', () => {
    expect(healthOf(...rounds(9), succeeded(noon + 60 * minute))).toEqual({
      allowance: 2,
      failures: 0,
      failedAt: 0,
      heldUntil: 0,
    });
  });

  test('takes attempts that were under way together for one failure, in whichever order they are noted', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(15 * second), fc.nat(999)), { minLength: 1, maxLength: 32 }),
        (together) => {
          // All of them are under way at noon; those that end later are noted later, but for a batch's disorder.
          const ends = together
            .map(([remains]) => remains)
            .sort((one, other) => one - other)
            .map((remains, index) => noon + remains + (together[index]?.[1] ?? 0))
            .map((endedAt) => failed(endedAt, endedAt - noon + 1));
          expect(healthOf(...ends).failures).toBe(1);
        },
      ),
    );
  });

  test('takes an attempt that began after a failure was noted for a round of its own', () => {
    const first = failed(noon);
    expect(healthOf(first, failed(noon + 20, 20)).failures).toBe(2);
    expect(healthOf(first, failed(noon + 20, 21)).failures).toBe(1);
  });

  test('takes an attempt for one of the last round however late it is noted', () => {
    fc.assert(
      fc.property(fc.nat(15 * second), fc.nat(10 * minute), (took, late) => {
        const asked = askedToWait(noon + late, 5 * minute, late + took + 1);
        const health = healthOf(asked, failed(noon, took));
        expect(health).toMatchObject({ failures: 1, heldUntil: noon + late + 5 * minute });
      }),
    );
  });

  test('is told by failures also after the clock was set back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 16 * second, max: 10 ** 9 }), (back) => {
        const now = noon - back;
        const adjusted = healthAfterSetback(healthOf(...rounds(4)), now);
        expect(adjusted).toMatchObject({ failures: 4, failedAt: now });
        const { failures, heldUntil } = healthAfter(adjusted, failed(now + minute));
        expect([failures, heldUntil]).toEqual([5, now + minute + 5 * second]);
      }),
    );
  });

  test('says nothing of what else is known of a queue: that may have changed meanwhile', () => {
    const queue = { ...healthOf(...rounds(5)), depth: 7, inFlight: 2, paused: true };
    const parts = ['allowance', 'failedAt', 'failures', 'heldUntil'];
    for (const attempt of [...rounds(6), succeeded(noon + 60 * minute)]) {
      expect(Object.keys(healthAfter(queue, attempt)).sort()).toEqual(parts);
    }
    expect(Object.keys(healthAfterMending(queue)).sort()).toEqual(parts);
  });

  test('keeps within its bounds whatever happens in whatever order', () => {
    fc.assert(
      fc.property(anyAttempts, (attempts) => {
        let health = newEndpointHealth;
        let latestEnd = 0;
        for (const attempt of attempts) {
          health = healthAfter(health, attempt);
          latestEnd = Math.max(latestEnd, attempt.endedAt);
          const { allowance, failures, failedAt, heldUntil } = health;
          expect(Number.isInteger(allowance)).toBe(true);
          expect(allowance).toBeGreaterThanOrEqual(1);
          expect(allowance).toBeLessThanOrEqual(32);
          expect(heldUntil).toBeLessThanOrEqual(latestEndOfHold(latestEnd));
          if (attempt.acknowledged)
            expect({ failures, failedAt }).toEqual({ failures: 0, failedAt: 0 });
          if (failures < 5) continue;
          expect(allowance).toBe(1);
          expect(heldUntil - failedAt).toBeGreaterThanOrEqual(5 * second);
        }
      }),
    );
  });

  test('without a receiver that asks for time, holds nothing before the fifth round', () => {
    fc.assert(
      fc.property(anyAttempts, (attempts) => {
        let wasHeld = false;
        let health = newEndpointHealth;
        for (const attempt of attempts) {
          health = healthAfter(health, { ...attempt, retryAfter: null });
          wasHeld ||= health.failures >= 5;
          if (!wasHeld) expect(health.heldUntil).toBe(0);
        }
      }),
    );
  });

  test('is the same whatever a receiver asks for, but for the hold', () => {
    fc.assert(
      fc.property(anyAttempts, (attempts) => {
        const unasked = healthOf(...attempts.map((one) => ({ ...one, retryAfter: null })));
        const asked = healthOf(...attempts);
        expect({ ...asked, heldUntil: 0 }).toEqual({ ...unasked, heldUntil: 0 });
      }),
    );
  });
});

describe('a hold', () => {
  test('ends when it was said to end', () => {
    const health = { ...newEndpointHealth, heldUntil: noon + minute };
    expect(endOfHold(health, noon)).toBe(noon + minute);
    expect(endOfHold(health, noon + minute)).toBe(noon + minute);
    expect(endOfHold(health, noon + minute + 1)).toBe(noon + minute + 1);
  });

  test('of an endpoint that is not held is over now', () => {
    expect(endOfHold(newEndpointHealth, noon)).toBe(noon);
  });

  test('is never in the past and never longer than 5 min, whatever became of the clock', () => {
    fc.assert(
      fc.property(fc.nat(10 ** 13), fc.nat(10 ** 13), (heldUntil, now) => {
        const end = endOfHold({ ...newEndpointHealth, heldUntil }, now);
        expect(end).toBeGreaterThanOrEqual(now);
        expect(end).toBeLessThanOrEqual(latestEndOfHold(now));
        expect(latestEndOfHold(now)).toBe(now + 5 * minute);
      }),
    );
  });

  test('lasts as long as it had to when the clock is set back, and no longer than 5 min', () => {
    fc.assert(
      fc.property(
        fc.nat(10 * minute),
        fc.integer({ min: -minute, max: 10 ** 10 }),
        (asked, back) => {
          const health = healthOf(askedToWait(noon, asked));
          const now = noon - back;
          const { heldUntil, failedAt } = healthAfterSetback(health, now);
          expect(failedAt).toBe(Math.min(noon, now));
          expect(heldUntil).toBeLessThanOrEqual(latestEndOfHold(now));
          if (back >= 0 && asked > 0) expect(heldUntil).toBe(now + Math.min(asked, 5 * minute));
          // Set forward, or not at all: nothing lies ahead.
          if (back <= 0) expect(heldUntil).toBe(health.heldUntil);
        },
      ),
    );
  });

  test('ends when a person steps in; the endpoint still has to prove itself', () => {
    const held = healthOf(...rounds(7));
    expect(healthAfterMending(held)).toEqual({ ...held, heldUntil: 0 });
    const again = healthAfter(healthAfterMending(held), failed(noon + 60 * minute));
    expect(again).toMatchObject({ allowance: 1, failures: 8 });
  });
});
