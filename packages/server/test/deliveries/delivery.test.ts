import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  afterAttempt,
  afterDeadline,
  afterInterruption,
  attemptTimeout,
  endOfAttempt,
  isAcknowledged,
  newDelivery,
  retryWindow,
} from '../../src/deliveries/delivery';
import { aClaimedDelivery, aMoment, anAttempt, noon } from '../builders';

const middle = () => 0.5;

describe('a delivery', () => {
  test('is due at once, until a day after its event', () => {
    const event = { id: 'evt_1', kind: 'order.created' as const, createdAt: noon };
    expect(newDelivery(event, 'whk_1', aMoment(noon + 10))).toEqual({
      id: expect.stringMatching(/^dlv_/),
      eventId: 'evt_1',
      webhookId: 'whk_1',
      kind: 'order.created',
      test: false,
      state: 'pending',
      nextAttemptAt: noon + 10,
      deadlineAt: noon + retryWindow,
      createdAt: noon + 10,
    });
  });

  test('is acknowledged by any 2xx and by nothing else', () => {
    fc.assert(
      fc.property(fc.option(fc.integer({ min: 100, max: 999 }), { nil: null }), (status) => {
        const expected = status !== null && Math.floor(status / 100) === 2;
        expect(isAcknowledged(anAttempt({ status }))).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  test('is delivered after an attempt that was acknowledged', () => {
    const delivery = aClaimedDelivery({ attempts: 3, tries: 3 });
    const attempt = anAttempt({ status: 204 });
    expect(afterAttempt(delivery, attempt, middle)).toEqual({
      deliveryId: delivery.id,
      token: delivery.token,
      number: 4,
      attempt,
      state: 'delivered',
      nextAttemptAt: null,
    });
  });

  test('is delivered even by an attempt that ended after the deadline', () => {
    const delivery = aClaimedDelivery({ deadlineAt: noon });
    expect(afterAttempt(delivery, anAttempt({ duration: 5_000 }), middle).state).toBe('delivered');
  });

  test.each([
    ['an answer of 500', anAttempt({ status: 500, duration: 1_000 })],
    ['a redirect', anAttempt({ status: 302, duration: 1_000 })],
    ['no answer', anAttempt({ status: null, error: 'timeout', duration: 1_000 })],
  ])('is tried again after %s, counted from the end of the attempt', (_what, attempt) => {
    const delivery = aClaimedDelivery({ attempts: 1, tries: 1 });
    expect(afterAttempt(delivery, attempt, middle)).toEqual({
      deliveryId: delivery.id,
      token: delivery.token,
      number: 2,
      attempt,
      state: 'pending',
      nextAttemptAt: noon + 1_000 + 15_000,
    });
  });

  test('is tried again no sooner than its receiver asked for', () => {
    const attempt = anAttempt({ status: 503, duration: 0, retryAfter: 3_600_000 });
    const { nextAttemptAt } = afterAttempt(aClaimedDelivery(), attempt, middle);
    expect(nextAttemptAt).toBe(noon + 3_600_000);
  });

  test('has its last attempt where it can still end before the deadline, and is then failed', () => {
    const deadlineAt = noon + 60_000;
    const delivery = aClaimedDelivery({ attempts: 9, tries: 9, deadlineAt });
    const last = afterAttempt(delivery, anAttempt({ status: 500 }), middle).nextAttemptAt;
    expect(last).toBe(deadlineAt - attemptTimeout);
    const attempt = anAttempt({ status: 500, startedAt: last ?? 0 });
    expect(afterAttempt(delivery, attempt, middle)).toMatchObject({
      state: 'failed',
      nextAttemptAt: null,
      number: 10,
    });
  });

  test('counts all attempts, yet waits by those that were made since it was queued or replayed', () => {
    const replayed = aClaimedDelivery({ attempts: 13, tries: 0 });
    const attempt = anAttempt({ status: 500, duration: 0 });
    expect(afterAttempt(replayed, attempt, middle)).toMatchObject({
      state: 'pending',
      number: 14,
      nextAttemptAt: noon + 5_000,
    });
  });

  test.each([
    ['delivered', 200],
    ['failed', 500],
  ])('that carries a sample is tried once, and is then %s', (state, status) => {
    const sample = aClaimedDelivery({ test: true });
    const attempt = anAttempt({ status, retryAfter: 1_000 });
    const outcome = { state, number: 1, nextAttemptAt: null };
    expect(afterAttempt(sample, attempt, middle)).toMatchObject(outcome);
  });

  test('tells of an attempt what its endpoint is judged by', () => {
    const times = { startedAt: noon + 3, duration: 40 };
    const ended = { startedAt: noon + 3, endedAt: noon + 43, retryAfter: null };
    const taken = endOfAttempt(anAttempt({ ...times, status: 202 }));
    expect(taken).toEqual({ ...ended, acknowledged: true });
    const refused = endOfAttempt(anAttempt({ ...times, status: null, error: 'timeout' }));
    expect(refused).toEqual({ ...ended, acknowledged: false });
    const asked = endOfAttempt(anAttempt({ ...times, status: 429, retryAfter: 9_000 }));
    expect(asked).toEqual({ ...ended, acknowledged: false, retryAfter: 9_000 });
  });

  test('is due again at once when the server broke its attempt off, even its last one', () => {
    const delivery = aClaimedDelivery({ attempts: 9, deadlineAt: noon });
    expect(afterInterruption(delivery, noon - 1)).toEqual({
      deliveryId: delivery.id,
      token: delivery.token,
      number: 9,
      attempt: null,
      state: 'pending',
      nextAttemptAt: noon - 1,
    });
  });

  test('is failed without another attempt once its deadline has passed', () => {
    const delivery = aClaimedDelivery({ attempts: 7, deadlineAt: noon });
    expect(afterDeadline(delivery, noon)).toBeNull();
    expect(afterDeadline(delivery, noon + 1)).toEqual({
      deliveryId: delivery.id,
      token: delivery.token,
      number: 7,
      attempt: null,
      state: 'failed',
      nextAttemptAt: null,
    });
  });
});
