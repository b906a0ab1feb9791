import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  attemptEndedAt,
  attemptTimeoutMs,
  isAcknowledged,
  newDelivery,
  resolveAttempt,
  resolveExpired,
  resolveInterrupted,
  retryWindowMs,
} from '../../src/deliveries/delivery';
import { aContext, aLeasedDelivery, anAttempt, noon } from '../helpers/builders';

const middle = () => 0.5;

describe('a delivery', () => {
  test('is due at once, until a day after its event', () => {
    const event = { id: 'evt_1', eventType: 'order.created' as const, createdAt: noon };
    expect(newDelivery(event, 'whk_1', aContext(noon + 10))).toEqual({
      id: expect.stringMatching(/^dlv_/),
      eventId: 'evt_1',
      webhookId: 'whk_1',
      eventType: 'order.created',
      test: false,
      state: 'pending',
      nextAttemptAt: noon + 10,
      deadlineAt: noon + retryWindowMs,
      createdAt: noon + 10,
    });
  });

  test('is acknowledged by a 2xx and by nothing else', () => {
    fc.assert(
      fc.property(fc.option(fc.integer({ min: 100, max: 999 }), { nil: null }), (status) => {
        const expected = status !== null && Math.floor(status / 100) === 2;
        expect(isAcknowledged(anAttempt({ status }))).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  test('is delivered after an attempt that was acknowledged', () => {
    const delivery = aLeasedDelivery({ attemptCount: 3, scheduledTries: 3 });
    const attempt = anAttempt({ status: 204 });
    expect(resolveAttempt(delivery, attempt, middle)).toEqual({
      deliveryId: delivery.id,
      leaseToken: delivery.leaseToken,
      number: 4,
      attempt,
      state: 'delivered',
      nextAttemptAt: null,
    });
  });

  test('is delivered even by an attempt that ended after the deadline', () => {
    const delivery = aLeasedDelivery({ deadlineAt: noon });
    expect(resolveAttempt(delivery, anAttempt({ durationMs: 5_000 }), middle).state).toBe(
      'delivered',
    );
  });

  test.each([
    ['a response of 500', anAttempt({ status: 500, durationMs: 1_000 })],
    ['a redirect', anAttempt({ status: 302, durationMs: 1_000 })],
    ['no response', anAttempt({ status: null, error: 'timeout', durationMs: 1_000 })],
  ])('is retried after %s, counted from the end of the attempt', (_what, attempt) => {
    const delivery = aLeasedDelivery({ attemptCount: 1, scheduledTries: 1 });
    expect(resolveAttempt(delivery, attempt, middle)).toEqual({
      deliveryId: delivery.id,
      leaseToken: delivery.leaseToken,
      number: 2,
      attempt,
      state: 'pending',
      nextAttemptAt: noon + 1_000 + 15_000,
    });
  });

  test('is retried no sooner than its receiver requested', () => {
    const attempt = anAttempt({ status: 503, durationMs: 0, retryAfter: 3_600_000 });
    const { nextAttemptAt } = resolveAttempt(aLeasedDelivery(), attempt, middle);
    expect(nextAttemptAt).toBe(noon + 3_600_000);
  });

  test('has its last attempt when it can still end before the deadline, and then fails', () => {
    const deadlineAt = noon + 60_000;
    const delivery = aLeasedDelivery({ attemptCount: 9, scheduledTries: 9, deadlineAt });
    const last = resolveAttempt(delivery, anAttempt({ status: 500 }), middle).nextAttemptAt;
    expect(last).toBe(deadlineAt - attemptTimeoutMs);
    const attempt = anAttempt({ status: 500, startedAt: last ?? 0 });
    expect(resolveAttempt(delivery, attempt, middle)).toMatchObject({
      state: 'failed',
      nextAttemptAt: null,
      number: 10,
    });
  });

  test('counts all attempts, but schedules by those since it was queued or replayed', () => {
    const replayed = aLeasedDelivery({ attemptCount: 13, scheduledTries: 0 });
    const attempt = anAttempt({ status: 500, durationMs: 0 });
    expect(resolveAttempt(replayed, attempt, middle)).toMatchObject({
      state: 'pending',
      number: 14,
      nextAttemptAt: noon + 5_000,
    });
  });

  test.each([
    ['delivered', 200],
    ['failed', 500],
  ])('that carries a test event is attempted once, and is then %s', (state, status) => {
    const sample = aLeasedDelivery({ test: true });
    const attempt = anAttempt({ status, retryAfter: 1_000 });
    const outcome = { state, number: 1, nextAttemptAt: null };
    expect(resolveAttempt(sample, attempt, middle)).toMatchObject(outcome);
  });

  test('extracts from an attempt what affects the health of its endpoint', () => {
    const times = { startedAt: noon + 3, durationMs: 40 };
    const ended = { startedAt: noon + 3, endedAt: noon + 43, retryAfter: null };
    const taken = attemptEndedAt(anAttempt({ ...times, status: 202 }));
    expect(taken).toEqual({ ...ended, acknowledged: true, status: 202, error: null });
    const failed = attemptEndedAt(anAttempt({ ...times, status: null, error: 'timeout' }));
    expect(failed).toEqual({ ...ended, acknowledged: false, status: null, error: 'timeout' });
    const requested = attemptEndedAt(anAttempt({ ...times, status: 429, retryAfter: 9_000 }));
    const rejected = { acknowledged: false, status: 429, error: null };
    expect(requested).toEqual({ ...ended, ...rejected, retryAfter: 9_000 });
  });

  test('is due again at once when the server interrupted its attempt, even the last one', () => {
    const delivery = aLeasedDelivery({ attemptCount: 9, deadlineAt: noon });
    expect(resolveInterrupted(delivery, noon - 1)).toEqual({
      deliveryId: delivery.id,
      leaseToken: delivery.leaseToken,
      number: 9,
      attempt: null,
      state: 'pending',
      nextAttemptAt: noon - 1,
    });
  });

  test('fails without another attempt once its deadline has passed', () => {
    const delivery = aLeasedDelivery({ attemptCount: 7, deadlineAt: noon });
    expect(resolveExpired(delivery, noon)).toBeNull();
    expect(resolveExpired(delivery, noon + 1)).toEqual({
      deliveryId: delivery.id,
      leaseToken: delivery.leaseToken,
      number: 7,
      attempt: null,
      state: 'failed',
      nextAttemptAt: null,
    });
  });
});
