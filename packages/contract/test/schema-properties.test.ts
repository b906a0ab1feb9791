import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  allEventTypes,
  createOrderSchema,
  createWebhookSchema,
  idempotencyKeySchema,
  ifMatchSchema,
  listOrdersSchema,
  pageLimit,
  timestampInputSchema,
  updateOrderSchema,
  updateWebhookSchema,
  webhookStatuses,
} from '../src/index';

/** Any code point except surrogates. fast-check's own unit `binary` is the same, but takes a second to build. */
const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));
const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));

test('a limit is accepted exactly from 1 to 100, as digits or as a number', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1000, max: 1000 }), (limit) => {
      const within = limit >= pageLimit.min && limit <= pageLimit.max;
      for (const sent of [limit, String(limit)]) {
        const read = listOrdersSchema.safeParse({ limit: sent });
        expect(read.success).toBe(within);
        expect(read.data?.limit).toBe(within ? limit : undefined);
      }
    }),
  );
});

test('a text accepted as a limit has digits only', () => {
  const numeric = fc.string({ unit: fc.constantFrom(...'0123456789 .+-eExX_,') });
  fc.assert(
    fc.property(numeric, (limit) => {
      if (listOrdersSchema.safeParse({ limit }).success) expect(limit).toMatch(/^\d+$/);
    }),
  );
});

test('any timestamp is accepted with any offset, and keeps its value', () => {
  const years = { min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z') };
  const offsets = fc.record({
    sign: fc.constantFrom(1, -1),
    hours: fc.integer({ min: 0, max: 14 }),
    minutes: fc.constantFrom(0, 30, 45),
  });
  fc.assert(
    fc.property(
      fc.date({ ...years, noInvalidDate: true }),
      offsets,
      (date, { sign, hours, minutes }) => {
        const two = (part: number) => String(part).padStart(2, '0');
        const local = new Date(date.getTime() + sign * (hours * 60 + minutes) * 60_000);
        const zone = `${sign > 0 ? '+' : '-'}${two(hours)}:${two(minutes)}`;
        const text = local.toISOString().replace('Z', zone);
        expect(new Date(timestampInputSchema.parse(text)).getTime()).toBe(date.getTime());
      },
    ),
  );
});

test('Date parses every accepted timestamp', () => {
  const digits = (length: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: length, maxLength: length });
  const zones = fc.constantFrom('Z', '+00:00', '-00:00', '+23:59', '-12:30', '+24:00', 'z', '');
  const timestampLike = fc
    .tuple(digits(4), digits(2), digits(2), digits(2), digits(2), digits(2), zones)
    .map(([year, month, day, hour, minute, second, zone]) => {
      return `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
    });
  fc.assert(
    fc.property(timestampLike, (text) => {
      if (timestampInputSchema.safeParse(text).success) expect(Date.parse(text)).not.toBeNaN();
    }),
    { numRuns: 5_000 },
  );
});

test('an idempotency key is any visible ASCII text of 1 to 255 characters, and no other text', () => {
  fc.assert(
    fc.property(fc.string({ unit: visible, minLength: 1, maxLength: 255 }), (key) => {
      expect(idempotencyKeySchema.safeParse(key).success).toBe(true);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (key) => {
      const fits = /^[!-~]+$/.test(key) && key.length <= 255;
      expect(idempotencyKeySchema.safeParse(key).success).toBe(fits);
    }),
  );
});

test('If-Match accepts any list of entity tags', () => {
  const tags = fc.tuple(
    fc.constantFrom('', 'W/'),
    fc.string({ unit: visible.filter((character) => character !== '"') }),
  );
  fc.assert(
    fc.property(
      fc.array(
        tags.map(([weak, tag]) => `${weak}"${tag}"`),
        { minLength: 1 },
      ),
      fc.constantFrom(',', ', ', ' , '),
      (list, comma) => {
        expect(ifMatchSchema.safeParse(list.join(comma)).success).toBe(true);
      },
    ),
  );
});

test('every accepted URL is absolute and can be requested', () => {
  const pieces = fc.constantFrom(
    'https',
    'http',
    ':',
    '//',
    '/',
    '\\',
    '@',
    '#',
    '?',
    ' ',
    '\t',
    '.',
  );
  const urlLike = fc.oneof(
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc
      .array(fc.oneof(pieces, fc.string({ maxLength: 8 })), { maxLength: 12 })
      .map((all) => all.join('')),
    fc.string().map((rest) => `https://${rest}`),
  );
  fc.assert(
    fc.property(urlLike, (url) => {
      if (!createWebhookSchema.safeParse({ url, events: ['order.created'] }).success) return;
      const read = new URL(url);
      expect(['https:', 'http:']).toContain(read.protocol);
      expect(read.hostname).not.toBe('');
      expect([read.username, read.password, read.hash]).toEqual(['', '', '']);
      expect(url).not.toMatch(/\s/);
    }),
    { numRuns: 2_000 },
  );
});

test('event types are accepted exactly if there is at least one and none is repeated', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...allEventTypes), { maxLength: 8 }), (events) => {
      const fits = events.length > 0 && new Set(events).size === events.length;
      const url = 'https://receiver.example';
      expect(createWebhookSchema.safeParse({ url, events }).success).toBe(fits);
    }),
  );
});

test('a webhook update accepts any non-empty set of fields', () => {
  const fields = fc.record(
    {
      url: fc.webUrl({ validSchemes: ['https'] }),
      events: fc.uniqueArray(fc.constantFrom(...allEventTypes), { minLength: 1 }),
      status: fc.constantFrom(...webhookStatuses),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fields, (change) => {
      const read = updateWebhookSchema.safeParse(change);
      expect(read.success).toBe(Object.keys(change).length > 0);
      if (read.success) expect(read.data).toEqual(change);
    }),
  );
});

test('every body schema rejects unknown fields', () => {
  const unknown = fc.string().filter((name) => !['listingId', 'quantity', 'status'].includes(name));
  fc.assert(
    fc.property(unknown, fc.jsonValue(), (name, value) => {
      // As in JSON: a field may even be called __proto__.
      const field = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);
      const add = (body: object) =>
        Object.defineProperties(body, Object.getOwnPropertyDescriptors(field));
      expect(createOrderSchema.safeParse(add({ listingId: 'lst_1', quantity: 1 })).success).toBe(
        false,
      );
      expect(updateOrderSchema.safeParse(add({ status: 'pending' })).success).toBe(false);
    }),
  );
});
