import { describe, expect, test } from 'vitest';
import {
  allEventTypes,
  getOrderSchema,
  getWebhookStatsSchema,
  listDeliveriesSchema,
  listKeysSchema,
  listNotificationsSchema,
  listOrdersSchema,
  listPartnersSchema,
  listWebhooksSchema,
  replayDeliveriesSchema,
} from '../../src/index';
import { listIssues } from '../helpers/issues';

const lists = [
  {
    of: 'GET /v1/orders',
    schema: listOrdersSchema,
    known:
      'status, buyerId, sellerId, listingId, minQuantity, maxQuantity, createdAfter, createdBefore, updatedAfter, sort, expand, count, limit, cursor',
  },
  {
    of: 'GET /v1/notifications',
    schema: listNotificationsSchema,
    known: 'read, limit, cursor',
  },
  {
    of: 'GET /v1/webhooks',
    schema: listWebhooksSchema,
    known: 'expand, limit, cursor',
  },
  {
    of: 'GET /v1/partners',
    schema: listPartnersSchema,
    known: 'name, limit, cursor',
  },
  {
    of: 'GET /v1/keys',
    schema: listKeysSchema,
    known: 'limit, cursor',
  },
  {
    of: 'GET /v1/deliveries',
    schema: listDeliveriesSchema,
    known: 'webhookId, eventId, orderId, event, state, since, until, statusClass, limit, cursor',
  },
];

describe.each(lists)('the query of $of', ({ schema, known }) => {
  test('accepts an empty query and adds no defaults', () => {
    expect(schema.parse({})).toEqual({});
  });

  test('rejects an unknown parameter, so that a misspelled filter does not list everything', () => {
    expect(listIssues(schema, { statsu: 'pending' })).toEqual([
      `statsu: unknown query parameter; known: ${known}`,
    ]);
  });

  test('rejects a repeated parameter', () => {
    expect(listIssues(schema, { limit: ['5', '6'] })).toHaveLength(1);
    expect(listIssues(schema, { cursor: ['a', 'b'] })).toHaveLength(1);
  });

  test('accepts a limit from 1 to 100, as digits or as a number', () => {
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
  ])('rejects a limit of %j', (limit) => {
    expect(listIssues(schema, { limit })).toEqual(['limit: must be an integer from 1 to 100']);
  });

  test('accepts any text of 1 to 512 characters as a cursor', () => {
    expect(schema.parse({ cursor: 'eyJ0IjoxfQ' })).toEqual({ cursor: 'eyJ0IjoxfQ' });
    const expected = ['cursor: must be the nextCursor of the previous page, unchanged'];
    expect(listIssues(schema, { cursor: '' })).toEqual(expected);
    expect(listIssues(schema, { cursor: 'a'.repeat(513) })).toEqual(expected);
  });
});

test('orders can be filtered by one known status, or by several with commas between', () => {
  expect(listOrdersSchema.parse({ status: 'cancelled' })).toEqual({ status: ['cancelled'] });
  expect(listOrdersSchema.parse({ status: 'pending,confirmed,pending' })).toEqual({
    status: ['pending', 'confirmed'],
  });
});

test.each([
  ['canceled'],
  [''],
  [','],
  ['pending,'],
  [',pending'],
  ['pending,,confirmed'],
  ['pending, confirmed'],
  ['pending;confirmed'],
  ['pending,lost'],
  ['pending\n'],
  [['pending', 'confirmed']],
  [null],
])('orders cannot be filtered by the status %j', (status) => {
  expect(listIssues(listOrdersSchema, { status })).toEqual([
    'status: must be one of pending, confirmed, fulfilling, completed, cancelled, or several with commas',
  ]);
});

test('orders can be expanded with one name or several', () => {
  for (const schema of [listOrdersSchema, getOrderSchema]) {
    expect(schema.parse({ expand: 'buyer' })).toEqual({ expand: ['buyer'] });
    expect(schema.parse({ expand: 'listing,agent,seller,buyer,etag' })).toEqual({
      expand: ['listing', 'agent', 'seller', 'buyer', 'etag'],
    });
    for (const expand of ['', 'buyers', 'buyer,', 'buyer.name', '*', ['buyer', 'agent']]) {
      expect(listIssues(schema, { expand })).toEqual([
        'expand: must be one of buyer, seller, agent, listing, etag, or several with commas',
      ]);
    }
  }
});

test('orders can be filtered by buyer, seller and listing, and sorted by either time in either direction', () => {
  const query = { buyerId: 'usr_1', sellerId: 'usr_2', listingId: 'lst_1' };
  expect(listOrdersSchema.parse(query)).toEqual(query);
  for (const sort of ['-createdAt', 'createdAt', '-updatedAt', 'updatedAt']) {
    expect(listOrdersSchema.parse({ sort })).toEqual({ sort });
  }
  const rejected = { buyerId: 'lst_1', sellerId: 'Anna', listingId: 'usr_1', sort: '+createdAt' };
  expect(listIssues(listOrdersSchema, rejected)).toEqual([
    'buyerId: must be an account ID (usr_<id>)',
    'sellerId: must be an account ID (usr_<id>)',
    'listingId: must be a listing ID (lst_<id>)',
    'sort: must be one of -createdAt, createdAt, -updatedAt, updatedAt',
  ]);
});

test('orders can be filtered by a range of quantities that is not empty, and counted', () => {
  const query = { minQuantity: '17', maxQuantity: '17', count: '100000' };
  expect(listOrdersSchema.parse(query)).toEqual({
    minQuantity: 17,
    maxQuantity: 17,
    count: 100_000,
  });
  expect(listIssues(listOrdersSchema, { minQuantity: '18', maxQuantity: '17' })).toEqual([
    'maxQuantity: must not be less than minQuantity',
  ]);
  const rejected = { minQuantity: '0', maxQuantity: '1e3', count: '100001' };
  expect(listIssues(listOrdersSchema, rejected)).toEqual([
    'minQuantity: must be an integer from 1 to 1000000',
    'maxQuantity: must be an integer from 1 to 1000000',
    'count: must be an integer from 1 to 100000',
  ]);
});

test('the statistics of a webhook are of one of three windows', () => {
  for (const window of ['1h', '24h', '7d'] as const)
    expect(getWebhookStatsSchema.parse({ window })).toEqual({ window });
  expect(getWebhookStatsSchema.parse({})).toEqual({});
  expect(listIssues(getWebhookStatsSchema, { window: '2h' })).toEqual([
    'window: must be one of 1h, 24h, 7d',
  ]);
  expect(listIssues(getWebhookStatsSchema, { since: 'now' })).toEqual([
    'since: unknown query parameter; known: window',
  ]);
});

test('webhooks can be expanded with their statistics, and with nothing else', () => {
  expect(listWebhooksSchema.parse({ expand: 'stats' })).toEqual({ expand: ['stats'] });
  expect(listIssues(listWebhooksSchema, { expand: 'secret' })).toEqual([
    'expand: must be one of stats, or several with commas',
  ]);
});

test('partners can be searched by a part of their name', () => {
  expect(listPartnersSchema.parse({ name: 'café' })).toEqual({ name: 'café' });
  for (const name of ['', 'x'.repeat(101), ['a', 'b']]) {
    expect(listIssues(listPartnersSchema, { name })).toEqual([
      'name: must have 1 to 100 characters',
    ]);
  }
});

test('notifications can be filtered by true or false, as text or as a boolean', () => {
  expect(listNotificationsSchema.parse({ read: 'true' })).toEqual({ read: true });
  expect(listNotificationsSchema.parse({ read: 'false' })).toEqual({ read: false });
  expect(listNotificationsSchema.parse({ read: false })).toEqual({ read: false });
  for (const read of ['TRUE', '1', 'yes', '', 0, null]) {
    expect(listIssues(listNotificationsSchema, { read })).toEqual(['read: must be true or false']);
  }
});

test('deliveries can be filtered by webhook, event type, state and status class', () => {
  const query = {
    webhookId: 'whk_1',
    event: 'order.created',
    state: 'failed',
    statusClass: 'none',
  };
  expect(listDeliveriesSchema.parse(query)).toEqual(query);
  for (const statusClass of ['2xx', '3xx', '4xx', '5xx', 'none']) {
    expect(listDeliveriesSchema.parse({ statusClass })).toEqual({ statusClass });
  }
});

test('an unknown filter value for deliveries is rejected with the list of known values', () => {
  const rejected = { webhookId: 'ord_1', event: 'order.lost', state: 'queued', statusClass: '500' };
  expect(listIssues(listDeliveriesSchema, rejected)).toEqual([
    'webhookId: must be a webhook ID (whk_<id>)',
    `event: must be one of ${allEventTypes.join(', ')}`,
    'state: must be one of pending, delivered, failed',
    'statusClass: must be one of 2xx, 3xx, 4xx, 5xx, none',
  ]);
  expect(listIssues(listDeliveriesSchema, { statusClass: '2XX' })).toHaveLength(1);
});

describe.each([
  { name: 'createdAfter', schema: listOrdersSchema },
  { name: 'createdBefore', schema: listOrdersSchema },
  { name: 'updatedAfter', schema: listOrdersSchema },
  { name: 'since', schema: listDeliveriesSchema },
])('$name', ({ name, schema }) => {
  test.each([
    ['2026-11-21T09:30:00Z'],
    ['2026-11-21T09:30:00.123Z'],
    ['2026-11-21T10:30:00+01:00'],
    ['2026-11-21T04:30:00-05:00'],
    ['2024-02-29T00:00:00Z'],
  ])('may be %s', (timestamp) => {
    expect(schema.parse({ [name]: timestamp })).toEqual({ [name]: timestamp });
  });

  test.each([
    ['2026-11-21t09:30:00z', '2026-11-21T09:30:00Z'],
    ['2026-11-21 09:30:00Z', '2026-11-21T09:30:00Z'],
    ['2026-11-21T09:30:00+0000', '2026-11-21T09:30:00+00:00'],
    ['2026-11-21 04:30:00.5-0500', '2026-11-21T04:30:00.5-05:00'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
    ['2016-12-31T15:59:60.25-08:00', '2016-12-31T15:59:59.999-08:00'],
  ])('may be %s, which is read as %s', (timestamp, normalized) => {
    expect(schema.parse({ [name]: timestamp })).toEqual({ [name]: normalized });
    expect(Date.parse(normalized)).not.toBeNaN();
  });

  test.each([
    ['2026-11-21'],
    ['2026-11-21T09:30:00'],
    ['2026-11-21T09:30Z'],
    ['2026-11-21T09:30:00 01:00'],
    ['2026-11-21T09:30:00  Z'],
    ['2026-11-21T09:30:60Z'],
    ['2026-11-21T09:59:61Z'],
    ['2026-11-21T09:30:00+2500'],
    ['2026-11-21T09:30:00+100'],
    ['2026-11-21T09:30:00+25:00'],
    ['2026-02-29T00:00:00Z'],
    ['2026-11-21T24:00:00Z'],
    ['1795253400'],
    ['yesterday'],
    [''],
  ])('rejects %j', (timestamp) => {
    expect(listIssues(schema, { [name]: timestamp })).toEqual([
      `${name}: must be an ISO 8601 timestamp with seconds and an offset, such as 2026-11-21T09:30:00Z (encode + as %2B in a URL)`,
    ]);
  });
});

test.each([
  ['a list', listDeliveriesSchema],
  ['a replay', replayDeliveriesSchema],
])('the period of %s of deliveries must not end before it starts', (_, schema) => {
  const since = '2026-11-21T09:30:00Z';
  expect(schema.safeParse({ since, until: since }).success).toBe(true);
  // The same time by another clock.
  expect(schema.safeParse({ since, until: '2026-11-21 10:30:00+0100' }).success).toBe(true);
  const issue = 'since: must not be later than until';
  expect(listIssues(schema, { since, until: '2026-11-21T10:29:59+01:00' })).toEqual([issue]);
  expect(listIssues(schema, { since, until: '2026-11-20T00:00:00Z', state: 'lost' })).toContain(
    issue,
  );
});
