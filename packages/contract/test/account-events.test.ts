import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AccountEvent,
  accountEventSchema,
  eventsPageSchema,
  eventWait,
  listEventsSchema,
  webhookEventSchema,
} from '../src/index';
import { complaints } from './complaints';

const event: AccountEvent = {
  id: 'evt_1',
  event: 'order.status_changed',
  createdAt: '2026-11-21T09:30:00.000Z',
  data: { orderId: 'ord_1', previousStatus: 'pending', status: 'fulfilling' },
};

describe('an event of the account', () => {
  test('is what its deliveries carry, and its id', () => {
    expect(accountEventSchema.parse(event)).toEqual(event);
    const { id, ...delivered } = event;
    expect(webhookEventSchema.parse(event)).toEqual(delivered);
    expect(accountEventSchema.safeParse(delivered).error?.issues).toMatchObject([{ path: ['id'] }]);
    expect(accountEventSchema.safeParse({ id }).success).toBe(false);
  });

  test('has data of its own kind', () => {
    expect(accountEventSchema.safeParse({ ...event, event: 'order.created' }).success).toBe(false);
  });

  test('may gain fields that this version does not know', () => {
    const later = { ...event, data: { ...event.data, colour: 'green' }, version: 2 };
    expect(accountEventSchema.parse(later)).toEqual(event);
  });
});

describe('a page of events', () => {
  test('always says where to go on, even when it is empty', () => {
    const page = { data: [], nextCursor: 'eyJ0IjoxfQ' };
    expect(eventsPageSchema.parse(page)).toEqual(page);
    expect(complaints(eventsPageSchema, { ...page, nextCursor: null })).toHaveLength(1);
    expect(complaints(eventsPageSchema, { data: [event] })).toHaveLength(1);
  });
});

describe('the query of GET /v1/events', () => {
  const since = '2026-11-21T09:30:00Z';
  const both =
    'since: send after or since, not both: after says where to go on, since where to start';

  test('may be empty, and then nothing is filled in', () => {
    expect(listEventsSchema.parse({})).toEqual({});
  });

  test('goes on after a page, or starts at a moment', () => {
    const goingOn = { after: 'eyJ0IjoxfQ', limit: '100', waitSeconds: '30' };
    expect(listEventsSchema.parse(goingOn)).toEqual({ ...goingOn, limit: 100, waitSeconds: 30 });
    expect(listEventsSchema.parse({ since })).toEqual({ since });
  });

  test('does not have both, which is told with whatever else is wrong', () => {
    expect(complaints(listEventsSchema, { after: 'a', since })).toEqual([both]);
    expect(complaints(listEventsSchema, { after: 'a', since, limit: '0' })).toEqual([
      'limit: must be an integer from 1 to 100',
      both,
    ]);
  });

  test('has `after` where other lists have `cursor`', () => {
    expect(complaints(listEventsSchema, { cursor: 'a' })).toEqual([
      'cursor: unknown query parameter; known: after, since, limit, waitSeconds',
    ]);
    expect(complaints(listEventsSchema, { after: '' })).toEqual([
      'after: must be the nextCursor of the page before, as it was',
    ]);
  });

  test('waits from 0 to 30 seconds, and digits mean what the number means', () => {
    fc.assert(
      fc.property(fc.integer({ min: -100, max: 100 }), (seconds) => {
        const within = seconds >= eventWait.min && seconds <= eventWait.max;
        for (const sent of [seconds, String(seconds)]) {
          const read = listEventsSchema.safeParse({ waitSeconds: sent });
          expect(read.success).toBe(within);
          expect(read.data?.waitSeconds).toBe(within ? seconds : undefined);
        }
      }),
    );
  });

  test.each([['1.5'], ['-1'], ['31'], ['30s'], [''], ['1e1'], [' 5'], [['5', '6']]])(
    'refuses to wait %j seconds',
    (waitSeconds) => {
      expect(complaints(listEventsSchema, { waitSeconds })).toEqual([
        'waitSeconds: must be an integer from 0 to 30',
      ]);
    },
  );
});
