import { describe, expect, test } from 'vitest';
import {
  accountIdSchema,
  deliveryIdSchema,
  eventIdSchema,
  keyIdSchema,
  listingIdSchema,
  notificationIdSchema,
  orderIdSchema,
  taskIdSchema,
  timestampSchema,
  webhookIdSchema,
} from '../src/index';
import { complaints } from './complaints';

const ids = [
  { prefix: 'ord', noun: 'an order', schema: orderIdSchema },
  { prefix: 'usr', noun: 'an account', schema: accountIdSchema },
  { prefix: 'lst', noun: 'a listing', schema: listingIdSchema },
  { prefix: 'ntf', noun: 'a notification', schema: notificationIdSchema },
  { prefix: 'whk', noun: 'a webhook', schema: webhookIdSchema },
  { prefix: 'tsk', noun: 'a task', schema: taskIdSchema },
  { prefix: 'evt', noun: 'an event', schema: eventIdSchema },
  { prefix: 'dlv', noun: 'a delivery', schema: deliveryIdSchema },
  { prefix: 'key', noun: 'an API key', schema: keyIdSchema },
];

describe.each(ids)("$noun's id", ({ prefix, noun, schema }) => {
  test(`reads ${prefix}_<id>`, () => {
    for (const id of ['1', '01KAJ8Q0V7T3M5X9R2C4D6F8GH', 'aZ09', 'a'.repeat(64)]) {
      expect(schema.parse(`${prefix}_${id}`)).toBe(`${prefix}_${id}`);
    }
  });

  test.each([
    ['of another noun', 'abc_1'],
    ['without an id', `${prefix}_`],
    ['without the prefix', '01KAJ8Q0V7T3M5X9R2C4D6F8GH'],
    ['in capitals', `${prefix.toUpperCase()}_1`],
    ['with a path in it', `${prefix}_1/../2`],
    ['with a space', `${prefix}_1 `],
    ['with a line break', `${prefix}_1\n`],
    ['that never ends', `${prefix}_${'a'.repeat(65)}`],
    ['that is a number', 1],
    ['that is missing', undefined],
  ])('is not one %s', (_, id) => {
    expect(complaints(schema, id)).toEqual([`: must be ${noun}'s id, which reads ${prefix}_<id>`]);
  });
});

test('a timestamp is UTC, with or without milliseconds', () => {
  expect(complaints(timestampSchema, '2026-11-21T09:30:00.000Z')).toEqual([]);
  expect(complaints(timestampSchema, '2026-11-21T09:30:00Z')).toEqual([]);
  expect(complaints(timestampSchema, '2026-11-21T10:30:00.000+01:00')).toHaveLength(1);
  expect(complaints(timestampSchema, 1795253400)).toHaveLength(1);
});

test('what Date writes is a timestamp', () => {
  expect(complaints(timestampSchema, new Date(0).toISOString())).toEqual([]);
});
