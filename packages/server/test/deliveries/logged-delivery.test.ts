import { deliveryDetailsSchema, deliverySchema } from '@tradepost/contract';
import { describe, expect, test } from 'vitest';
import { newDelivery, retryWindow } from '../../src/deliveries/delivery';
import {
  type LoggedDelivery,
  logged,
  presentDelivery,
  presentDeliveryRecord,
  replay,
} from '../../src/deliveries/logged-delivery';
import { aMoment, anAttempt, noon } from '../builders';
import { refusalOf } from '../refusal';

const iso = (time: number) => new Date(time).toISOString();
const later = noon + 60_000;

/** A delivery that was queued at noon, and was not tried yet, unless told. */
function aLogged(overrides: Partial<LoggedDelivery> = {}): LoggedDelivery {
  const event = { id: 'evt_1', kind: 'order.created' as const, createdAt: noon };
  return { ...logged(newDelivery(event, 'whk_1', aMoment())), ...overrides };
}

const delivered = {
  state: 'delivered',
  attempts: 2,
  lastStatus: 200,
  nextAttemptAt: null,
} as const;
const failed = { state: 'failed', attempts: 13, lastStatus: 500, nextAttemptAt: null } as const;

describe('a replay', () => {
  test.each([
    ['was delivered', aLogged({ ...delivered, finishedAt: noon + 5 })],
    ['failed', aLogged({ ...failed, finishedAt: noon + retryWindow })],
    ['was given up untried', aLogged({ ...failed, attempts: 0, lastStatus: null })],
    ['waits for its next attempt', aLogged({ attempts: 3, nextAttemptAt: noon + 3_600_000 })],
    ['waits for an endpoint that is held', aLogged({ heldUntil: noon + 300_000 })],
    ['was replayed before', replay(aLogged({ ...delivered, finishedAt: noon }), noon)],
  ])('of what %s makes it due at once, with 24 hours from now', (_what, delivery) => {
    expect(replay(delivery, later)).toEqual({
      ...delivery,
      state: 'pending',
      nextAttemptAt: later,
      deadlineAt: later + retryWindow,
      heldUntil: 0,
      finishedAt: null,
    });
  });

  test('is refused while an attempt is under way', () => {
    const delivery = aLogged({ inProgress: true, nextAttemptAt: null });
    const refusal = refusalOf(() => replay(delivery, later));
    expect(refusal.code).toBe('delivery_in_progress');
    expect(refusal.message).toContain(delivery.id);
  });

  test('of a paused webhook leaves it paused', () => {
    const again = replay(aLogged({ paused: true }), later);
    expect(presentDelivery(again, later)).toMatchObject({ state: 'pending', nextAttemptAt: null });
  });
});

describe('what is shown of a delivery', () => {
  test.each([
    ['new', aLogged()],
    ['tried', aLogged({ attempts: 2, lastStatus: null, lastError: 'timeout' })],
    ['delivered', aLogged({ ...delivered, finishedAt: later })],
    ['failed', aLogged({ ...failed, finishedAt: later })],
  ])('is what the contract says when it is %s', (_what, delivery) => {
    const shown = presentDelivery(delivery, noon);
    expect(deliverySchema.strict().parse(shown)).toEqual(shown);
  });

  test('names its event and kind, and tells every moment', () => {
    const delivery = aLogged({ ...delivered, finishedAt: later });
    expect(presentDelivery(delivery, noon)).toEqual({
      id: delivery.id,
      webhookId: 'whk_1',
      eventId: 'evt_1',
      event: 'order.created',
      state: 'delivered',
      test: false,
      attempts: 2,
      lastStatus: 200,
      lastError: null,
      nextAttemptAt: null,
      deadlineAt: iso(noon + retryWindow),
      createdAt: iso(noon),
      finishedAt: iso(later),
    });
  });

  test.each([
    ['by its schedule', {}, noon],
    ['once its endpoint is held no longer', { heldUntil: noon + 5_000 }, noon + 5_000],
    ['by its schedule, if that is later', { heldUntil: noon - 5_000 }, noon],
    ['no later than the longest hold', { heldUntil: noon + 3_600_000 }, noon + 300_000],
    ['nobody knows when, while its webhook is paused', { paused: true }, null],
    ['nobody knows when, while a worker has it', { nextAttemptAt: null, inProgress: true }, null],
  ])('it is tried next %s', (_when, overrides, expected) => {
    const { nextAttemptAt } = presentDelivery(aLogged(overrides), noon);
    expect(nextAttemptAt).toBe(expected === null ? null : iso(expected));
  });

  test('in detail, has its body and its attempts as the contract says', () => {
    const { retryAfter: _own, ...attempt } = anAttempt({ status: null, error: 'timeout' });
    const log = [{ number: 1, ...attempt }];
    const record = { ...aLogged(), body: '{"event":"order.created"}', log };
    const shown = presentDeliveryRecord(record, noon);
    expect(deliveryDetailsSchema.strict().parse(shown)).toEqual(shown);
    expect(shown.body).toBe(record.body);
    expect(shown.attemptLog).toEqual([{ number: 1, ...attempt, startedAt: iso(noon) }]);
  });
});
