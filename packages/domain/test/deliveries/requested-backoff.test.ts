import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextHealth } from '../../src/deliveries/endpoint-health';
import { noon } from '../helpers/builders';
import {
  anyAttempt,
  anyAttempts,
  failed,
  failedWithRetryAfter,
  healthAfter,
  minute,
  rounds,
  second,
  succeeded,
} from './attempt-results';

describe('a receiver that rejects and requests a wait', () => {
  test('delays all of its deliveries after the first rejection', () => {
    const health = healthAfter(failedWithRetryAfter(noon, 30 * second));
    expect(health).toMatchObject({
      concurrencyLimit: 2,
      failures: 1,
      failedAt: noon,
      backoffUntil: noon + 30 * second,
    });
  });

  test('waits at least as long as requested, up to 5 min, whatever came before', () => {
    fc.assert(
      fc.property(
        anyAttempts,
        anyAttempt(noon - 60 * minute, noon + 60 * minute),
        (before, attempt) => {
          const { backoffUntil } = healthAfter(...before, { ...attempt, acknowledged: false });
          const requested = Math.min(attempt.retryAfter ?? 0, 5 * minute);
          if (requested > 0)
            expect(backoffUntil).toBeGreaterThanOrEqual(attempt.endedAt + requested);
        },
      ),
    );
  });

  test('waits also if others that were in flight failed before', () => {
    const health = healthAfter(failed(noon, 100), failedWithRetryAfter(noon + 50, minute, 100));
    expect(health).toMatchObject({ failures: 1, backoffUntil: noon + 50 + minute });
  });

  test('does not wait less because of attempts in flight, however they end', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 * minute }),
        fc.array(anyAttempt(noon - 15 * second, noon), { maxLength: 32 }),
        (wait, underWay) => {
          const end = noon + Math.min(wait, 5 * minute);
          let health = healthAfter(failedWithRetryAfter(noon, wait));
          // They are recorded as they end, apart from reordering in a batch. Those that outlast the backoff may end it.
          const noted = underWay
            .filter(({ endedAt }) => endedAt >= noon - second && endedAt < end)
            .sort((one, other) => one.endedAt - other.endedAt);
          for (const attempt of noted) {
            health = nextHealth(health, attempt);
            expect(health.backoffUntil).toBeGreaterThanOrEqual(end);
          }
        },
      ),
    );
  });

  test('does not back off after a success of an attempt that started after the wait', () => {
    fc.assert(
      fc.property(anyAttempts, fc.nat(15 * second), (before, took) => {
        const { backoffUntil, ...health } = healthAfter(...before);
        const startedAt = Math.max(backoffUntil, noon);
        const end = succeeded(startedAt + took, took);
        expect(nextHealth({ ...health, backoffUntil }, end).backoffUntil).toBe(0);
      }),
    );
  });

  test('requests nothing with an acknowledgement, or with a wait of zero', () => {
    expect(healthAfter({ ...succeeded(noon), retryAfter: minute }).backoffUntil).toBe(0);
    expect(healthAfter(failedWithRetryAfter(noon, 0)).backoffUntil).toBe(0);
  });

  test('does not shorten the backoff of an endpoint that keeps failing', () => {
    const { backoffUntil } = healthAfter(
      ...rounds(7),
      failedWithRetryAfter(noon + 60 * minute, second),
    );
    expect(backoffUntil).toBe(noon + 60 * minute + 135 * second);
  });
});
