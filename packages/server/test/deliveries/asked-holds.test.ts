import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { healthAfter } from '../../src/deliveries/endpoint-queue';
import { noon } from '../builders';
import {
  anyAttempt,
  anyAttempts,
  askedToWait,
  failed,
  healthOf,
  minute,
  rounds,
  second,
  succeeded,
} from './attempt-ends';

describe('a receiver that refuses and asks for time', () => {
  test('has it from all its deliveries, after the first refusal', () => {
    const health = healthOf(askedToWait(noon, 30 * second));
    expect(health).toEqual({
      allowance: 2,
      failures: 1,
      failedAt: noon,
      heldUntil: noon + 30 * second,
    });
  });

  test('has at least what it asks for, 5 min at most, whatever came before', () => {
    fc.assert(
      fc.property(
        anyAttempts,
        anyAttempt(noon - 60 * minute, noon + 60 * minute),
        (before, attempt) => {
          const { heldUntil } = healthOf(...before, { ...attempt, acknowledged: false });
          const asked = Math.min(attempt.retryAfter ?? 0, 5 * minute);
          if (asked > 0) expect(heldUntil).toBeGreaterThanOrEqual(attempt.endedAt + asked);
        },
      ),
    );
  });

  test('has it too when others that were under way with its refusal failed before', () => {
    const health = healthOf(failed(noon, 100), askedToWait(noon + 50, minute, 100));
    expect(health).toMatchObject({ failures: 1, heldUntil: noon + 50 + minute });
  });

  test('has no less for what was under way when it asked, however that ends', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 * minute }),
        fc.array(anyAttempt(noon - 15 * second, noon), { maxLength: 32 }),
        (wait, underWay) => {
          const end = noon + Math.min(wait, 5 * minute);
          let health = healthOf(askedToWait(noon, wait));
          // They are noted as they end, but for a batch's disorder. Those that outlast the hold may end it.
          const noted = underWay
            .filter(({ endedAt }) => endedAt >= noon - second && endedAt < end)
            .sort((one, other) => one.endedAt - other.endedAt);
          for (const attempt of noted) {
            health = healthAfter(health, attempt);
            expect(health.heldUntil).toBeGreaterThanOrEqual(end);
          }
        },
      ),
    );
  });

  test('is held no more after a success of an attempt that started once its time was over', () => {
    fc.assert(
      fc.property(anyAttempts, fc.nat(15 * second), (before, took) => {
        const { heldUntil, ...health } = healthOf(...before);
        const startedAt = Math.max(heldUntil, noon);
        const end = { acknowledged: true, startedAt, endedAt: startedAt + took, retryAfter: null };
        expect(healthAfter({ ...health, heldUntil }, end).heldUntil).toBe(0);
      }),
    );
  });

  test('asks for nothing with an answer that takes the delivery, and with a time of none', () => {
    expect(healthOf({ ...succeeded(noon), retryAfter: minute }).heldUntil).toBe(0);
    expect(healthOf(askedToWait(noon, 0)).heldUntil).toBe(0);
  });

  test('does not shorten the hold of an endpoint that keeps failing', () => {
    const { heldUntil } = healthOf(...rounds(7), askedToWait(noon + 60 * minute, second));
    expect(heldUntil).toBe(noon + 60 * minute + 135 * second);
  });
});
