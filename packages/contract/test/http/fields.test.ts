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
} from '../../src/index';
import { listIssues } from '../helpers/issues';

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
    ['of another resource', 'abc_1'],
    ['without its random part', `${prefix}_`],
    ['without the prefix', '01KAJ8Q0V7T3M5X9R2C4D6F8GH'],
    ['in upper case', `${prefix.toUpperCase()}_1`],
    ['that contains a path', `${prefix}_1/../2`],
    ['with a space', `${prefix}_1 `],
    ['with a line break', `${prefix}_1\n`],
    ['that is too long', `${prefix}_${'a'.repeat(65)}`],
    ['that is a number', 1],
    ['that is missing', undefined],
  ])('rejects an ID %s', (_, id) => {
    expect(listIssues(schema, id)).toEqual([`: must be ${noun} ID (${prefix}_<id>)`]);
  });
});

test('a timestamp must be UTC, with or without milliseconds', () => {
  expect(listIssues(timestampSchema, '2026-11-21T09:30:00.000Z')).toEqual([]);
  expect(listIssues(timestampSchema, '2026-11-21T09:30:00Z')).toEqual([]);
  expect(listIssues(timestampSchema, '2026-11-21T10:30:00.000+01:00')).toHaveLength(1);
  expect(listIssues(timestampSchema, 1795253400)).toHaveLength(1);
});

test('a timestamp may come from Date', () => {
  expect(listIssues(timestampSchema, new Date(0).toISOString())).toEqual([]);
});
