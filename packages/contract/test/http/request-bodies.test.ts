import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import openApi from '../../openapi.json' with { type: 'json' };
import { noBodySchema } from '../../src/http/message-schemas';
import {
  createKeySchema,
  createOrderSchema,
  createSessionSchema,
  createWebhookSchema,
  replayDeliveriesSchema,
  sendTestEventSchema,
  updateNotificationSchema,
  updateOrderSchema,
} from '../../src/index';
import { listIssues } from '../helpers/issues';

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
    good: { status: 'fulfilling', reason: 'The buyer has paid.' },
    known: 'status, reason',
    required: 'status',
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
    known: 'url, events, description, headers, attemptsPerMinute',
    required: 'url, events',
  },
  {
    of: 'POST /v1/sessions',
    schema: createSessionSchema,
    good: { code: 'tpc_1' },
    known: 'code',
  },
  {
    of: 'POST /v1/webhooks/:id/test',
    schema: sendTestEventSchema,
    good: { event: 'task.completed' },
    known: 'event',
  },
];

describe.each(bodies)('the body of $of', ({ schema, good, known, required = known }) => {
  test('is accepted with its documented fields', () => {
    expect(schema.parse(good)).toEqual(good);
  });

  test('rejects an unknown field and lists the known ones', () => {
    expect(listIssues(schema, { ...good, sattus: 1 })).toEqual([
      `sattus: unknown field; known: ${known}`,
    ]);
    expect(listIssues(schema, { ...good, sattus: 1, colour: 2 })).toEqual([
      `sattus.colour: unknown field; known: ${known}`,
    ]);
  });

  test('requires each of its fields and describes it', () => {
    const fields = listIssues(schema, {});
    expect(fields.map((line) => line.split(':')[0])).toEqual(required.split(', '));
    for (const line of fields) expect(line).toContain(': must be ');
  });

  test.each([[undefined], [null], ['text'], [[good]], [7]])('rejects %j', (value) => {
    expect(listIssues(schema, value)).toEqual([': must be a JSON object']);
  });
});

describe('what to replay', () => {
  const filter = {
    state: 'failed',
    since: '2026-11-20T09:30:00Z',
    until: '2026-11-21T10:30:00+01:00',
    event: 'order.created',
    statusClass: '5xx',
    limit: 500,
    cursor: 'eyJ0IjoxfQ',
  };

  test('has the filters of a list, a limit and a cursor, all of them optional', () => {
    expect(replayDeliveriesSchema.parse(filter)).toEqual(filter);
    expect(replayDeliveriesSchema.parse({})).toEqual({});
  });

  test('rejects what is no filter, so that nothing else is replayed', () => {
    for (const value of [undefined, null, []])
      expect(listIssues(replayDeliveriesSchema, value)).toEqual([': must be a JSON object']);
    expect(listIssues(replayDeliveriesSchema, { status: 'failed' })).toEqual([
      'status: unknown field; known: event, state, since, until, statusClass, limit, cursor',
    ]);
    expect(listIssues(replayDeliveriesSchema, { state: 'lost' })).toHaveLength(1);
  });

  test.each([0, 501, 1.5, '5', null])('rejects a limit of %j', (limit) => {
    expect(listIssues(replayDeliveriesSchema, { limit })).toEqual([
      'limit: must be an integer from 1 to 500',
    ]);
  });
});

describe('the body of an endpoint that needs none', () => {
  test('may be left out or null, which equals an empty object', () => {
    expect(noBodySchema.parse(undefined)).toEqual({});
    expect(noBodySchema.parse(null)).toEqual({});
    expect(noBodySchema.parse({})).toEqual({});
  });

  test('rejects any field, because it would have no effect', () => {
    expect(listIssues(noBodySchema, { secret: 'whsec_mine' })).toEqual([
      'secret: unknown field; this endpoint takes none',
    ]);
  });

  test.each([['text'], [[]], [7], [false]])('rejects %j', (value) => {
    expect(listIssues(noBodySchema, value)).toEqual([': must be a JSON object']);
  });
});

describe('the reason of a change', () => {
  const change = (reason: unknown) =>
    listIssues(updateOrderSchema, { status: 'cancelled', reason });

  test('may be left out, and is 1 to 500 characters of any script', () => {
    expect(updateOrderSchema.parse({ status: 'cancelled' })).toEqual({ status: 'cancelled' });
    const plain = ['x', 'Out of stock: "tea" <b>', '已付款', 'é'.repeat(500), 'मूल्य', 'مرحبا'];
    // A joiner or a variation selector where a script or an emoji needs it.
    const joined = ['می‌خواهم', 'क्‍ष', 'ක්‍ර', '葛\u{e0100}城', '❤️', '1️⃣', '👩‍👩‍👧', '👩🏽‍🚀', '🏳️‍🌈'];
    for (const reason of [...plain, ...joined]) expect(change(reason)).toEqual([]);
    // Characters, not UTF-16 code units.
    expect(change('🍵'.repeat(500))).toEqual([]);
  });

  test.each([
    '',
    ' ',
    ' paid',
    'paid\n',
    'paid\u00a0',
    'two\nlines',
    'a\ttab',
    'a\u0000null',
    'an\u001b[2J sequence',
    'two\u2028lines',
    'a\u0085line',
    'half of \ud83c a character',
    ...[
      '\u202eright to left',
      'pa\u2066id',
      'zero\u200bwidth',
      'too\u200dthin',
      'a\ufe0f',
      'so\u00adft',
    ],
    ...['\ufeffmark', 'tags \u{e0069}\u{e0067}', 'filler\u3164', 'note \ufff9', '❤\ufe0f\ufe0f'],
    'x'.repeat(501),
    '🍵'.repeat(501),
    null,
    7,
    ['paid'],
  ])('is not %j', (reason) => {
    expect(change(reason)).toEqual([
      'reason: must be 1 to 500 characters on one line, without control characters and others that nobody sees, and without white space at its start or end',
    ]);
  });
});

describe('the pattern of a reason', () => {
  const pattern = new RegExp(openApi.components.schemas.UpdateOrder.properties.reason.pattern, 'u');

  test('says what the schema does, except of what other languages do not know', () => {
    const characters = [
      'a',
      '付',
      '🍵',
      '"',
      ' ',
      '\t',
      '\n',
      '\r',
      '\0',
      '\x1b',
      '\x7f',
      '\x85',
      '\xa0',
    ];
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...characters), maxLength: 9 }), (reason) => {
        const accepted = updateOrderSchema.safeParse({ status: 'cancelled', reason }).success;
        expect(pattern.test(reason)).toBe(accepted);
      }),
    );
    expect(pattern.test('two\u2028lines')).toBe(true);
  });
});

describe('quantity', () => {
  const order = (quantity: unknown) =>
    listIssues(createOrderSchema, { listingId: 'lst_1', quantity });

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

test('an unknown order status is rejected with the list of known ones', () => {
  expect(listIssues(updateOrderSchema, { status: 'Pending' })).toEqual([
    'status: must be one of pending, confirmed, fulfilling, completed, cancelled',
  ]);
});

test('a notification cannot be marked unread', () => {
  expect(listIssues(updateNotificationSchema, { read: false })).toEqual([
    'read: must be true: a notification cannot be marked unread',
  ]);
});

test('a key may have a name, read access only, and an end from a minute to ten years', () => {
  const key = { name: 'export “7” — 港', readOnly: true, expiresIn: 60 };
  expect(createKeySchema.parse(key)).toEqual(key);
  expect(createKeySchema.parse({})).toEqual({});
  for (const name of ['', ' export', 'x'.repeat(101), 'a\nb', 'a\u202eb', 7]) {
    expect(listIssues(createKeySchema, { name })).toEqual([
      expect.stringMatching(/^name: must be 1 to 100 characters on one line/),
    ]);
  }
  for (const expiresIn of [59, 60.5, 315_360_001, '3600', null]) {
    expect(listIssues(createKeySchema, { expiresIn })).toEqual([
      'expiresIn: must be seconds, an integer from 60 to 315360000',
    ]);
  }
  expect(listIssues(createKeySchema, { readOnly: 'no' })).toEqual([
    'readOnly: must be true or false',
  ]);
});
