import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FailedAttempt, retryAfterSeconds, retryDelay } from '../../src/http/retry';

const failed = (overrides: Partial<FailedAttempt> = {}): FailedAttempt => ({
  attempt: 1,
  maxRetries: 3,
  status: 503,
  idempotent: true,
  notApplied: false,
  retryAfterMs: null,
  remainingMs: 120_000,
  ...overrides,
});

const anyAttempt: fc.Arbitrary<FailedAttempt> = fc.record({
  attempt: fc.integer({ min: 1, max: 2_000 }),
  maxRetries: fc.integer({ min: 0, max: 2_000 }),
  status: fc.option(fc.oneof(fc.integer({ min: 300, max: 599 }), fc.constantFrom(429, 503))),
  idempotent: fc.boolean(),
  notApplied: fc.boolean(),
  retryAfterMs: fc.option(fc.double({ min: 0, max: 1e9, noNaN: true })),
  remainingMs: fc.double({ min: -1e6, max: 1e9, noNaN: true }),
});
const anyRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('a retry is made although the sum of its wait is rounded up to the deadline', () => {
  const attempt = failed({ retryAfterMs: 1e9 - 1e-7, remainingMs: 1e9 });
  expect(retryDelay(attempt, 1 - Number.EPSILON)).toBe(attempt.retryAfterMs);
});

describe('for any failure', () => {
  const always = (check: (attempt: FailedAttempt, random: number, delay: number) => void) =>
    fc.assert(
      fc.property(anyAttempt, anyRandom, (attempt, random) => {
        const delay = retryDelay(attempt, random);
        if (delay !== null) check(attempt, random, delay);
      }),
      { numRuns: 5_000 },
    );

  test('the wait is a number of milliseconds, 0 or more', () =>
    always((_, __, delay) => {
      expect(Number.isFinite(delay)).toBe(true);
      expect(delay).toBeGreaterThanOrEqual(0);
    }));

  test('the wait ends before the deadline', () =>
    always((attempt, _, delay) => expect(delay).toBeLessThan(attempt.remainingMs)));

  test('the wait is never shorter than Retry-After requests', () =>
    always((attempt, _, delay) => expect(delay).toBeGreaterThanOrEqual(attempt.retryAfterMs ?? 0)));

  test('the wait is never longer than its bound, after Retry-After', () =>
    always((attempt, _, delay) => {
      const bound = Math.min(8_000, 500 * 2 ** (attempt.attempt - 1));
      expect(delay).toBeLessThanOrEqual(bound + (attempt.retryAfterMs ?? 0));
    }));

  test('there are never more retries than maxRetries', () =>
    always((attempt) => expect(attempt.attempt).toBeLessThanOrEqual(attempt.maxRetries)));

  test('a change that is unsafe to repeat is repeated only when it was not applied', () =>
    always((attempt) => expect(attempt.idempotent || attempt.notApplied).toBe(true)));

  test('only a lost response and the retryable statuses are retried', () =>
    always(({ status }) => expect([null, 408, 425, 429, 500, 502, 503, 504]).toContain(status)));

  test('without Retry-After, the random number alone selects a wait between 0 and the bound', () =>
    always((attempt, random, delay) => {
      if (attempt.retryAfterMs !== null) return;
      const bound = Math.min(8_000, 500 * 2 ** (attempt.attempt - 1));
      expect(delay).toBe(random * bound);
    }));

  test('a later deadline allows every retry that an earlier one allows', () =>
    always((attempt, random, delay) => {
      const patient = { ...attempt, remainingMs: attempt.remainingMs * 2 };
      if (attempt.retryAfterMs) expect(retryDelay(patient, random)).toBeGreaterThanOrEqual(delay);
      else expect(retryDelay(patient, random)).toBe(delay);
    }));

  test('the client respects Retry-After, in seconds or as a date, unless the deadline is earlier', () => {
    const now = Date.parse('2026-11-21T09:30:00.000Z');
    const seconds = fc.nat({ max: 600 });
    const header = seconds.chain((count) =>
      fc.constantFrom(`${count}`, new Date(now + count * 1_000).toUTCString()).map((value) => ({
        count,
        headers: new Headers({ 'Retry-After': value }),
      })),
    );
    fc.assert(
      fc.property(header, fc.nat({ max: 600_000 }), anyRandom, (given, remainingMs, random) => {
        const after = retryAfterSeconds(given.headers, now);
        expect(after).toBe(given.count);
        const delay = retryDelay(
          failed({ retryAfterMs: given.count * 1_000, remainingMs }),
          random,
        );
        const wanted = given.count * 1_000;
        const bound = wanted > 0 ? Math.min(500, remainingMs - wanted) : 500;
        const delayed = Math.max(0, random * bound) + wanted;
        const least = wanted > 0 && wanted < remainingMs ? wanted : null;
        expect(delay).toBe(delayed < remainingMs ? delayed : least);
      }),
      { numRuns: 2_000 },
    );
  });

  test('the client makes every retry that is allowed', () => {
    fc.assert(
      fc.property(
        anyAttempt,
        anyRandom,
        fc.constantFrom(null, 408, 425, 429, 500),
        (some, random, status) => {
          const attempt = { ...some, status, idempotent: true, attempt: 1, maxRetries: 1 };
          const needed = Math.max(500, attempt.retryAfterMs ?? 0);
          fc.pre(attempt.remainingMs > needed);
          expect(retryDelay(attempt, random)).not.toBeNull();
        },
      ),
    );
  });
});

test('the jitter is full: the random number alone selects a wait between 0 and the bound', () => {
  expect(retryDelay(failed(), 0)).toBe(0);
  expect(retryDelay(failed(), 0.5)).toBe(250);
  expect(retryDelay(failed({ attempt: 3 }), 0.5)).toBe(1_000);
  expect(retryDelay(failed({ attempt: 60, maxRetries: 99 }), 0.5)).toBe(4_000);
});

test('a wait that would end exactly at the deadline does not start', () => {
  expect(retryDelay(failed({ retryAfterMs: 1_000, remainingMs: 1_000 }), 0)).toBeNull();
  expect(retryDelay(failed({ retryAfterMs: 1_000, remainingMs: 1_001 }), 0)).toBe(1_000);
});
