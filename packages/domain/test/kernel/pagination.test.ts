import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createIdGenerator } from '../../src/kernel/context';
import { decodeCursor, encodeCursor, type PageKey, slicePage } from '../../src/kernel/pagination';
import { noon } from '../helpers/builders';
import { catchDomainError } from '../helpers/catch-domain-error';

const newId = createIdGenerator();
const times = fc.integer({ min: 0, max: Date.parse('9999-12-31T23:59:59.999Z') });
const positions: fc.Arbitrary<PageKey> = times.map((createdAt) => ({
  createdAt,
  id: newId('ord', createdAt),
}));

/** Returns whether a text is a cursor. Any error except `invalid_cursor` fails the test. */
function isCursor(text: string): boolean {
  try {
    return encodeCursor(decodeCursor(text, 'ord')) === text;
  } catch {
    expect(catchDomainError(() => decodeCursor(text, 'ord')).code).toBe('invalid_cursor');
    return false;
  }
}

describe('with cursors', () => {
  test('an encoded cursor is decoded as the same position', () => {
    fc.assert(
      fc.property(positions, (position) => {
        expect(decodeCursor(encodeCursor(position), 'ord')).toEqual(position);
      }),
    );
  });

  test('a cursor of one list is invalid for another', () => {
    fc.assert(
      fc.property(positions, (position) => {
        const domainError = catchDomainError(() => decodeCursor(encodeCursor(position), 'ntf'));
        expect(domainError.code).toBe('invalid_cursor');
      }),
    );
  });

  test('a cursor of a sort is decoded with that sort, and is invalid for another', () => {
    const sorts = [undefined, 'createdAt', '-updatedAt', 'updatedAt'];
    fc.assert(
      fc.property(
        positions,
        fc.constantFrom(...sorts),
        fc.constantFrom(...sorts),
        (position, sort, other) => {
          const cursor = encodeCursor(position, sort);
          expect(decodeCursor(cursor, 'ord', sort)).toEqual(position);
          if (other === sort) return;
          const domainError = catchDomainError(() => decodeCursor(cursor, 'ord', other));
          expect(domainError.code).toBe('invalid_cursor');
        },
      ),
    );
  });

  test('a cursor goes into a URL as it is', () => {
    fc.assert(
      fc.property(positions, (position) => {
        const cursor = encodeCursor(position);
        expect(encodeURIComponent(cursor)).toBe(cursor);
      }),
    );
  });

  test('no other text is accepted as a cursor', () => {
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

  test('a cursor with one character changed, added or removed is decoded as what it says or rejected', () => {
    const spot = fc.nat({ max: 70 });
    const character = fc.string({ minLength: 0, maxLength: 1 });
    fc.assert(
      fc.property(positions, spot, spot, character, (position, from, length, inserted) => {
        const cursor = encodeCursor(position);
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
    ['padding', `${encodeCursor({ createdAt: noon, id: 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH' })}=`],
    ['a time with a leading zero', encoded('01.ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH')],
    ['a negative time', encoded('-1.ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH')],
    ['a time in exponents', encoded('1e3.ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH')],
    ['no time', encoded('.ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH')],
    ['no id', encoded(`${noon}.`)],
    ['an id with other characters', encoded(`${noon}.ord_-1`)],
    ['an id that is too long', encoded(`${noon}.ord_${'1'.repeat(65)}`)],
    ['a line break after it', encoded(`${noon}.ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH\n`)],
    ['SQL', encoded(`${noon}.ord_01KAJ8Q0V7T3M5X9R2C4D6' OR 1=1`)],
    ['JSON', encoded('{"createdAt":1,"id":"ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH"}')],
  ])('%s is rejected', (_what, text) => {
    const domainError = catchDomainError(() => decodeCursor(text, 'ord'));
    expect(domainError.code).toBe('invalid_cursor');
    expect(domainError.detail).toContain('nextCursor');
  });
});

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}

describe('with pages', () => {
  test('a page is cut to its limit, and has a next one only if there is more', () => {
    const items = fc.array(positions, { maxLength: 20 });
    fc.assert(
      fc.property(items, fc.integer({ min: 1, max: 20 }), (all, limit) => {
        const page = slicePage(all.slice(0, limit + 1), limit);
        expect(page.items).toEqual(all.slice(0, limit));
        const last = page.items.at(-1);
        const more = all.length > limit && last !== undefined;
        expect(page.nextCursor).toBe(more ? encodeCursor(last) : null);
      }),
    );
  });
});
