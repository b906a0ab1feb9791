import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AccountEvent,
  accountEventSchema,
  eventPageSchema,
  eventWaitSeconds,
  listEventsSchema,
  webhookEventSchema,
} from '../../src/index';
import { listIssues } from '../helpers/issues';

const event: AccountEvent = {
  id: 'evt_1',
  event: 'order.status_changed',
  createdAt: '2026-11-21T09:30:00.000Z',
  data: { orderId: 'ord_1', previousStatus: 'pending', status: 'fulfilling' },
};

describe('an event of the account', () => {
  test('has the body of its deliveries and an ID', () => {
    expect(accountEventSchema.parse(event)).toEqual(event);
    const { id, ...delivered } = event;
    expect(webhookEventSchema.parse(event)).toEqual(delivered);
    expect(accountEventSchema.safeParse(delivered).error?.issues).toMatchObject([{ path: ['id'] }]);
    expect(accountEventSchema.safeParse({ id }).success).toBe(false);
  });

  test('requires the data of its type', () => {
    expect(accountEventSchema.safeParse({ ...event, event: 'order.created' }).success).toBe(false);
  });

  test('accepts unknown fields', () => {
    const later = { ...event, data: { ...event.data, colour: 'green' }, version: 2 };
    expect(accountEventSchema.parse(later)).toEqual(event);
  });
});

describe('a page of events', () => {
  test('always has a next cursor, even when it is empty', () => {
    const page = { data: [], nextCursor: 'eyJ0IjoxfQ' };
    expect(eventPageSchema.parse(page)).toEqual(page);
    expect(listIssues(eventPageSchema, { ...page, nextCursor: null })).toHaveLength(1);
    expect(listIssues(eventPageSchema, { data: [event] })).toHaveLength(1);
  });
});

describe('the query of GET /v1/events', () => {
  const since = '2026-11-21T09:30:00Z';
  const both = 'since: send either after (continue a list) or since (start a list), not both';

  test('accepts an empty query and adds no defaults', () => {
    expect(listEventsSchema.parse({})).toEqual({});
  });

  test('accepts either after or since', () => {
    const goingOn = { after: 'eyJ0IjoxfQ', limit: '100', waitSeconds: '30' };
    expect(listEventsSchema.parse(goingOn)).toEqual({ ...goingOn, limit: 100, waitSeconds: 30 });
    expect(listEventsSchema.parse({ since })).toEqual({ since });
  });

  test('rejects both together, along with all other issues', () => {
    expect(listIssues(listEventsSchema, { after: 'a', since })).toEqual([both]);
    expect(listIssues(listEventsSchema, { after: 'a', since, limit: '0' })).toEqual([
      'limit: must be an integer from 1 to 100',
      both,
    ]);
  });

  test('has the last events with tail, and those before a page with before', () => {
    const earlier = { tail: '5', before: 'a', since, until: since, type: 'order.created' };
    expect(listEventsSchema.parse(earlier)).toEqual({ ...earlier, tail: 5 });
    for (const tail of ['0', '101']) {
      expect(listIssues(listEventsSchema, { tail })).toEqual([
        'tail: must be an integer from 1 to 100',
      ]);
    }
  });

  test.each([
    [{ tail: '5', after: 'a' }, 'tail: is the size of a page of the last events'],
    [{ tail: '5', limit: '5' }, 'tail: is the size of a page of the last events'],
    [{ tail: '5', waitSeconds: '5' }, 'tail: is the size of a page of the last events'],
    [{ before: 'a' }, 'before: continues a list of the last events: send it with tail'],
    [
      { until: since, waitSeconds: '5' },
      'waitSeconds: waits for new events: send it without until',
    ],
    [{ since, until: '2000-01-01T00:00:00Z' }, 'since: must not be later than until'],
  ])('rejects the contradiction in %j', (query, issue) => {
    expect(listIssues(listEventsSchema, query)).toEqual([expect.stringContaining(issue)]);
  });

  test('takes `after` in the place of `cursor`', () => {
    expect(listIssues(listEventsSchema, { cursor: 'a' })).toEqual([
      'cursor: unknown query parameter; known: after, since, until, type, orderId, limit, waitSeconds, tail, before',
    ]);
    expect(listIssues(listEventsSchema, { after: '' })).toEqual([
      'after: must be the nextCursor of the previous page, unchanged',
    ]);
  });

  test('accepts 0 to 30 seconds, as digits or as a number', () => {
    fc.assert(
      fc.property(fc.integer({ min: -100, max: 100 }), (seconds) => {
        const within = seconds >= eventWaitSeconds.min && seconds <= eventWaitSeconds.max;
        for (const sent of [seconds, String(seconds)]) {
          const read = listEventsSchema.safeParse({ waitSeconds: sent });
          expect(read.success).toBe(within);
          expect(read.data?.waitSeconds).toBe(within ? seconds : undefined);
        }
      }),
    );
  });

  test.each([['1.5'], ['-1'], ['31'], ['30s'], [''], ['1e1'], [' 5'], [['5', '6']]])(
    'rejects a wait of %j seconds',
    (waitSeconds) => {
      expect(listIssues(listEventsSchema, { waitSeconds })).toEqual([
        'waitSeconds: must be an integer from 0 to 30',
      ]);
    },
  );
});
