import { describe, expect, test } from 'vitest';
import { emptyBodySchema } from '../src/http/request-schemas';
import {
  createOrderSchema,
  createWebhookSchema,
  testWebhookSchema,
  updateNotificationSchema,
  updateOrderSchema,
} from '../src/index';
import { complaints } from './complaints';

const bodies = [
  {
    of: 'POST /v1/orders',
    schema: createOrderSchema,
    good: { listingId: 'lst_1', quantity: 1 },
    known: 'listingId, quantity',
  },
  {
    of: 'PATCH /v1/orders/:id',
    schema: updateOrderSchema,
    good: { status: 'fulfilling' },
    known: 'status',
  },
  {
    of: 'PATCH /v1/notifications/:id',
    schema: updateNotificationSchema,
    good: { read: true },
    known: 'read',
  },
  {
    of: 'POST /v1/webhooks',
    schema: createWebhookSchema,
    good: { url: 'https://receiver.example/', events: ['order.created'] },
    known: 'url, events',
  },
  {
    of: 'POST /v1/webhooks/:id/test',
    schema: testWebhookSchema,
    good: { event: 'task.completed' },
    known: 'event',
  },
];

describe.each(bodies)('the body of $of', ({ schema, good, known }) => {
  test('is accepted as it is documented', () => {
    expect(schema.parse(good)).toEqual(good);
  });

  test('may not have an unknown field, and the refusal names it and those that are known', () => {
    expect(complaints(schema, { ...good, sattus: 1 })).toEqual([
      `sattus: unknown field; known: ${known}`,
    ]);
    expect(complaints(schema, { ...good, sattus: 1, colour: 2 })).toEqual([
      `sattus.colour: unknown field; known: ${known}`,
    ]);
  });

  test('may lack none of its fields, and the refusal says what each must be', () => {
    const fields = complaints(schema, {});
    expect(fields.map((line) => line.split(':')[0])).toEqual(known.split(', '));
    for (const line of fields) expect(line).toContain(': must be ');
  });

  test.each([[undefined], [null], ['text'], [[good]], [7]])('is not %j', (value) => {
    expect(complaints(schema, value)).toEqual([': must be a JSON object']);
  });
});

describe('the body of an endpoint that needs none', () => {
  test('may be left out, which is the same as an empty object', () => {
    expect(emptyBodySchema.parse(undefined)).toEqual({});
    expect(emptyBodySchema.parse({})).toEqual({});
  });

  test('may not have a field: whoever sends one believes that it does something', () => {
    expect(complaints(emptyBodySchema, { secret: 'whsec_mine' })).toEqual([
      'secret: unknown field; this endpoint takes none',
    ]);
  });

  test.each([[null], ['text'], [[]], [7]])('is not %j', (value) => {
    expect(complaints(emptyBodySchema, value)).toEqual([': must be a JSON object']);
  });
});

describe('quantity', () => {
  const order = (quantity: unknown) =>
    complaints(createOrderSchema, { listingId: 'lst_1', quantity });

  test('is an integer from 1 to 1,000,000', () => {
    expect(order(1)).toEqual([]);
    expect(order(1_000_000)).toEqual([]);
    expect(order(0)).toEqual(['quantity: must be at least 1']);
    expect(order(1_000_001)).toEqual(['quantity: must be at most 1000000']);
  });

  test.each([['5'], [1.5], [Number.NaN], [Number.POSITIVE_INFINITY], [true], [null], [[5]]])(
    'is not %s',
    (quantity) => {
      expect(order(quantity)).toEqual(['quantity: must be an integer']);
    },
  );
});

test('an order moves to one of the five states, and the refusal lists them', () => {
  expect(complaints(updateOrderSchema, { status: 'Pending' })).toEqual([
    'status: must be one of pending, confirmed, fulfilling, completed, cancelled',
  ]);
});

test('a notification cannot be marked unread', () => {
  expect(complaints(updateNotificationSchema, { read: false })).toEqual([
    'read: must be true: a notification cannot be made unread',
  ]);
});
