import { describe, expect, test } from 'vitest';
import {
  eventKinds,
  listDeliveriesSchema,
  listNotificationsSchema,
  listOrdersSchema,
  listWebhooksSchema,
} from '../src/index';
import { complaints } from './complaints';

const lists = [
  {
    of: 'GET /v1/orders',
    schema: listOrdersSchema,
    known: 'status, createdAfter, createdBefore, limit, cursor',
  },
  {
    of: 'GET /v1/notifications',
    schema: listNotificationsSchema,
    known: 'read, limit, cursor',
  },
  {
    of: 'GET /v1/webhooks',
    schema: listWebhooksSchema,
    known: 'limit, cursor',
  },
  {
    of: 'GET /v1/deliveries',
    schema: listDeliveriesSchema,
    known: 'webhookId, event, state, since, http, limit, cursor',
  },
];

describe.each(lists)('the query of $of', ({ schema, known }) => {
  test('may be empty, and then nothing is filled in', () => {
    expect(schema.parse({})).toEqual({});
  });

  test('may not have an unknown parameter: a misspelt filter must not list everything', () => {
    expect(complaints(schema, { statsu: 'pending' })).toEqual([
      `statsu: unknown query parameter; known: ${known}`,
    ]);
  });

  test('may not have a parameter twice', () => {
    expect(complaints(schema, { limit: ['5', '6'] })).toHaveLength(1);
    expect(complaints(schema, { cursor: ['a', 'b'] })).toHaveLength(1);
  });

  test('takes a limit from 1 to 100, as digits or as a number', () => {
    expect(schema.parse({ limit: '1' })).toEqual({ limit: 1 });
    expect(schema.parse({ limit: '100' })).toEqual({ limit: 100 });
    expect(schema.parse({ limit: 20 })).toEqual({ limit: 20 });
  });

  test.each([
    ['0'],
    ['101'],
    ['-1'],
    ['1.5'],
    ['1e1'],
    ['0x10'],
    [' 5'],
    ['5 '],
    [''],
    ['ten'],
    [0],
    [1.5],
    [true],
    [['5']],
    ['9'.repeat(400)],
  ])('refuses a limit of %j', (limit) => {
    expect(complaints(schema, { limit })).toEqual(['limit: must be an integer from 1 to 100']);
  });

  test('takes any text as a cursor, within reason', () => {
    expect(schema.parse({ cursor: 'eyJ0IjoxfQ' })).toEqual({ cursor: 'eyJ0IjoxfQ' });
    const refusal = ['cursor: must be the nextCursor of the page before, as it was'];
    expect(complaints(schema, { cursor: '' })).toEqual(refusal);
    expect(complaints(schema, { cursor: 'a'.repeat(513) })).toEqual(refusal);
  });
});

test('orders are filtered by one of the five states', () => {
  expect(listOrdersSchema.parse({ status: 'cancelled' })).toEqual({ status: 'cancelled' });
  expect(complaints(listOrdersSchema, { status: 'canceled' })).toEqual([
    'status: must be one of pending, confirmed, fulfilling, completed, cancelled',
  ]);
  expect(complaints(listOrdersSchema, { status: '' })).toHaveLength(1);
});

test('notifications are filtered by true or false, as text or as what it says', () => {
  expect(listNotificationsSchema.parse({ read: 'true' })).toEqual({ read: true });
  expect(listNotificationsSchema.parse({ read: 'false' })).toEqual({ read: false });
  expect(listNotificationsSchema.parse({ read: false })).toEqual({ read: false });
  for (const read of ['TRUE', '1', 'yes', '', 0, null]) {
    expect(complaints(listNotificationsSchema, { read })).toEqual(['read: must be true or false']);
  }
});

test('deliveries are filtered by webhook, event kind, state and class of the last answer', () => {
  const query = { webhookId: 'whk_1', event: 'order.created', state: 'failed', http: 'none' };
  expect(listDeliveriesSchema.parse(query)).toEqual(query);
  for (const http of ['2xx', '3xx', '4xx', '5xx', 'none']) {
    expect(listDeliveriesSchema.parse({ http })).toEqual({ http });
  }
});

test('a filter of deliveries that names nothing is refused, and the refusal lists what there is', () => {
  const refused = { webhookId: 'ord_1', event: 'order.lost', state: 'queued', http: '500' };
  expect(complaints(listDeliveriesSchema, refused)).toEqual([
    "webhookId: must be a webhook's id, which reads whk_<id>",
    `event: must be one of ${eventKinds.join(', ')}`,
    'state: must be one of pending, delivered, failed',
    'http: must be one of 2xx, 3xx, 4xx, 5xx, none',
  ]);
  expect(complaints(listDeliveriesSchema, { http: '2XX' })).toHaveLength(1);
});

describe.each([
  { name: 'createdAfter', schema: listOrdersSchema },
  { name: 'createdBefore', schema: listOrdersSchema },
  { name: 'since', schema: listDeliveriesSchema },
])('$name', ({ name, schema }) => {
  test.each([
    ['2026-11-21T09:30:00Z'],
    ['2026-11-21T09:30:00.123Z'],
    ['2026-11-21T10:30:00+01:00'],
    ['2026-11-21T04:30:00-05:00'],
    ['2024-02-29T00:00:00Z'],
  ])('may be %s', (moment) => {
    expect(schema.parse({ [name]: moment })).toEqual({ [name]: moment });
  });

  test.each([
    ['2026-11-21'],
    ['2026-11-21T09:30:00'],
    ['2026-11-21T09:30Z'],
    ['2026-11-21 09:30:00Z'],
    ['2026-11-21T09:30:00 01:00'],
    ['2026-11-21T09:30:00+25:00'],
    ['2026-02-29T00:00:00Z'],
    ['2026-11-21T24:00:00Z'],
    ['1795253400'],
    ['yesterday'],
    [''],
  ])('may not be %j', (moment) => {
    expect(complaints(schema, { [name]: moment })).toEqual([
      `${name}: must be an ISO 8601 moment with seconds and a zone, such as 2026-11-21T09:30:00Z (a + is written %2B in a URL)`,
    ]);
  });
});
