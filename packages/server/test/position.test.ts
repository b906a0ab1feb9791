import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createIds } from '../src/ids';
import { cutPage, type Position, readCursor, writeCursor } from '../src/position';
import { noon } from './builders';
import { refusalOf } from './refusal';

const newId = createIds();
const times = fc.integer({ min: 0, max: Date.parse('9999-12-31T23:59:59.999Z') });
const positions: fc.Arbitrary<Position> = times.map((createdAt) => ({
  createdAt,
  id: newId('ord', createdAt),
}));

/** Whether a text is a cursor; anything but acceptance or `bad_cursor` fails the test. */
function isCursor(text: string): boolean {
  try {
    return writeCursor(readCursor(text, 'ord')) === text;
  } catch {
    expect(refusalOf(() => readCursor(text, 'ord')).code).toBe('bad_cursor');
    return false;
  }
}

describe('cursors', () => {
  test('a cursor that was written is read as the same position', () => {
    fc.assert(
      fc.property(positions, (position) => {
        expect(readCursor(writeCursor(position), 'ord')).toEqual(position);
      }),
    );
  });

  test('a cursor of one list is none of another', () => {
    fc.assert(
      fc.property(positions, (position) => {
        const refusal = refusalOf(() => readCursor(writeCursor(position), 'ntf'));
        expect(refusal.code).toBe('bad_cursor');
      }),
    );
  });

  test('a cursor goes into a URL as it is', () => {
    fc.assert(
      fc.property(positions, (position) => {
        const cursor = writeCursor(position);
        expect(encodeURIComponent(cursor)).toBe(cursor);
      }),
    );
  });

  test('no text that is not a cursor is taken for one', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary-ascii' }),
      fc.string().map((text) => Buffer.from(text).toString('base64url')),
      fc
        .tuple(fc.string(), fc.string())
        .map(([time, id]) => Buffer.from(`${time}.${id}`).toString('base64url')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(isCursor(text)).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  test('a cursor with one character changed, added or left out is read as what it now says or refused, never as anything else', () => {
    const spot = fc.nat({ max: 70 });
    const character = fc.string({ minLength: 0, maxLength: 1 });
    fc.assert(
      fc.property(positions, spot, spot, character, (position, from, length, inserted) => {
        const cursor = writeCursor(position);
        const cut = from + (length % 2);
        const changed = cursor.slice(0, from) + inserted + cursor.slice(cut);
        expect(typeof isCursor(changed)).toBe('boolean');
        if (!/^[\w-]*$/.test(changed)) expect(isCursor(changed)).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ['an empty text', ''],
    ['padding', `${writeCursor({ createdAt: noon, id: 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH' })}=`],
    ['a time with a leading zero', encoded('01.ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH')],
    ['a negative time', encoded('-1.ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH')],
    ['a time in exponents', encoded('1e3.ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH')],
    ['no time', encoded('.ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH')],
    ['no id', encoded(`${noon}.`)],
    ['an id of another shape', encoded(`${noon}.ord_1`)],
    ['a line break after it', encoded(`${noon}.ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH\n`)],
    ['SQL', encoded(`${noon}.ord_01KAJ8Q0V7T3M5X9R2C4D6' OR 1=1`)],
    ['JSON', encoded('{"createdAt":1,"id":"ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH"}')],
  ])('%s is refused', (_what, text) => {
    const refusal = refusalOf(() => readCursor(text, 'ord'));
    expect(refusal.code).toBe('bad_cursor');
    expect(refusal.detail).toContain('nextCursor');
  });
});

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}

describe('pages', () => {
  test('a page is cut to its limit, and tells of a next one only if there is more', () => {
    const items = fc.array(positions, { maxLength: 20 });
    fc.assert(
      fc.property(items, fc.integer({ min: 1, max: 20 }), (all, limit) => {
        const page = cutPage(all.slice(0, limit + 1), limit);
        expect(page.items).toEqual(all.slice(0, limit));
        const last = page.items.at(-1);
        const more = all.length > limit && last !== undefined;
        expect(page.nextCursor).toBe(more ? writeCursor(last) : null);
      }),
    );
  });
});
