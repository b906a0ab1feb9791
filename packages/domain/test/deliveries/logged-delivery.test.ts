import { deliveryDetailsSchema, deliverySchema } from '@tradepost/contract';
import { describe, expect, test } from 'vitest';
import { newDelivery, retryWindowMs } from '../../src/deliveries/delivery';
import {
  type LoggedDelivery,
  matchesFilter,
  replayDelivery,
  replayMatching,
  toDeliveryDetailsResponse,
  toDeliveryResponse,
  toLoggedDelivery,
} from '../../src/deliveries/logged-delivery';
import { aContext, anAttempt, noon } from '../helpers/builders';
import { catchDomainError } from '../helpers/catch-domain-error';

const iso = (time: number) => new Date(time).toISOString();
const later = noon + 60_000;

/** A delivery that was queued at noon; by default it has no attempts. */
function aLogged(overrides: Partial<LoggedDelivery> = {}): LoggedDelivery {
  const event = { id: 'evt_1', eventType: 'order.created' as const, createdAt: noon };
  return { ...toLoggedDelivery(newDelivery(event, 'whk_1', aContext())), ...overrides };
}

const delivered = {
  state: 'delivered',
  attemptCount: 2,
  lastStatus: 200,
  nextAttemptAt: null,
} as const;
const failed = { state: 'failed', attemptCount: 13, lastStatus: 500, nextAttemptAt: null } as const;

describe('a replay', () => {
  test.each([
    ['was delivered', aLogged({ ...delivered, finishedAt: noon + 5 })],
    ['failed', aLogged({ ...failed, finishedAt: noon + retryWindowMs })],
    ['was given up untried', aLogged({ ...failed, attemptCount: 0, lastStatus: null })],
    ['waits for its next attempt', aLogged({ attemptCount: 3, nextAttemptAt: noon + 3_600_000 })],
    ['waits for the backoff of its endpoint', aLogged({ backoffUntil: noon + 300_000 })],
    ['was replayed before', replayDelivery(aLogged({ ...delivered, finishedAt: noon }), noon)],
  ])('of a delivery that %s makes it due at once, with 24 hours from now', (_what, delivery) => {
    expect(replayDelivery(delivery, later)).toEqual({
      ...delivery,
      state: 'pending',
      nextAttemptAt: later,
      deadlineAt: later + retryWindowMs,
      backoffUntil: 0,
      finishedAt: null,
    });
  });

  test('is rejected while an attempt is in flight', () => {
    const delivery = aLogged({ inProgress: true, nextAttemptAt: null });
    const domainError = catchDomainError(() => replayDelivery(delivery, later));
    expect(domainError.code).toBe('delivery_in_progress');
    expect(domainError.message).toContain(delivery.id);
  });

  test('of a paused webhook leaves it paused', () => {
    const again = replayDelivery(aLogged({ paused: true }), later);
    expect(toDeliveryResponse(again, later)).toMatchObject({
      state: 'pending',
      nextAttemptAt: null,
    });
  });
});

describe('a replay of what a filter finds', () => {
  test('replays each like one alone, and leaves out those in flight and those that have changed', () => {
    const found = [
      aLogged({ ...failed, id: 'dlv_1' }),
      aLogged({ ...failed, id: 'dlv_2', inProgress: true }),
      aLogged({ ...delivered, id: 'dlv_3' }),
      aLogged({ id: 'dlv_4', inProgress: true }),
    ];
    const { deliveries, skipped } = replayMatching(found, { state: 'failed' }, later);
    expect(deliveries).toEqual(found.slice(0, 1).map((one) => replayDelivery(one, later)));
    expect(skipped).toBe(1);
    expect(replayMatching(found, {}, later)).toMatchObject({ skipped: 2 });
  });

  test.each([
    ['the start of its time', { since: noon, until: noon + 1 }, true],
    ['a later time', { since: noon + 1 }, false],
    ['a time before it', { until: noon }, false],
    ['its event and its order', { eventId: 'evt_1', orderId: 'ord_1' }, true],
    ['another order', { orderId: 'ord_2' }, false],
    ['its status class', { statusClass: '5xx' }, true],
    ['no response', { statusClass: 'none' }, false],
  ] as const)('a filter with %s', (_what, filter, isFound) => {
    const delivery = aLogged({ ...failed, orderId: 'ord_1' });
    expect(matchesFilter(delivery, filter)).toBe(isFound);
  });
});

describe('the response of a delivery', () => {
  test.each([
    ['new', aLogged()],
    ['attempted', aLogged({ attemptCount: 2, lastStatus: null, lastError: 'timeout' })],
    ['delivered', aLogged({ ...delivered, finishedAt: later })],
    ['failed', aLogged({ ...failed, finishedAt: later })],
  ])('matches the contract when it is %s', (_what, delivery) => {
    const shown = toDeliveryResponse(delivery, noon);
    expect(deliverySchema.strict().parse(shown)).toEqual(shown);
  });

  test('names its event and event type, and has every timestamp', () => {
    const delivery = aLogged({ ...delivered, finishedAt: later });
    expect(toDeliveryResponse(delivery, noon)).toEqual({
      id: delivery.id,
      webhookId: 'whk_1',
      eventId: 'evt_1',
      event: 'order.created',
      orderId: null,
      state: 'delivered',
      test: false,
      attemptCount: 2,
      lastStatus: 200,
      lastError: null,
      nextAttemptAt: null,
      deadlineAt: iso(noon + retryWindowMs),
      createdAt: iso(noon),
      finishedAt: iso(later),
    });
  });

  test.each([
    ['by its schedule', {}, noon],
    ['once the backoff of its endpoint ends', { backoffUntil: noon + 5_000 }, noon + 5_000],
    ['by its schedule, if that is later', { backoffUntil: noon - 5_000 }, noon],
    ['no later than the longest backoff', { backoffUntil: noon + 3_600_000 }, noon + 300_000],
    ['at an unknown time while its webhook is paused', { paused: true }, null],
    ['at an unknown time while it is leased', { nextAttemptAt: null, inProgress: true }, null],
  ])('has the next attempt %s', (_when, overrides, expected) => {
    const { nextAttemptAt } = toDeliveryResponse(aLogged(overrides), noon);
    expect(nextAttemptAt).toBe(expected === null ? null : iso(expected));
  });

  test('has, in detail, its body and its attempts as in the contract', () => {
    const { retryAfter: _own, ...attempt } = anAttempt({ status: null, error: 'timeout' });
    const attempts = [{ number: 1, ...attempt }];
    const record = { ...aLogged(), body: '{"event":"order.created"}', attempts };
    const shown = toDeliveryDetailsResponse(record, noon);
    expect(deliveryDetailsSchema.strict().parse(shown)).toEqual(shown);
    expect(shown.body).toBe(record.body);
    expect(shown.attempts).toEqual([{ number: 1, ...attempt, startedAt: iso(noon) }]);
  });
});
