import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCursorLoopDetector } from '../../src/http/pagination';

/** Requests pages until a loop is detected. The cursor of the last page leads back to an earlier one. */
function pagesUntilFound(first: string | undefined, cursors: string[], back: number): number {
  const leadsBack = createCursorLoopDetector(first);
  let from = first;
  for (let pages = 1; ; pages += 1) {
    const at = from === first ? 0 : cursors.indexOf(from ?? '') + 1;
    const to = cursors[at] ?? cursors[back] ?? '';
    if (leadsBack(from, to)) return pages;
    from = to;
  }
}

const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`);

test('distinct cursors are never reported as a loop', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 300 }), (cursors) => {
      const leadsBack = createCursorLoopDetector(undefined);
      const found = cursors.map((to, at) => leadsBack(cursors[at - 1], to));
      expect(found).not.toContain(true);
    }),
  );
});

test('a cursor loop of any size is detected soon, after any number of pages', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(), (count, some) => {
      const back = some % count;
      const pages = pagesUntilFound(undefined, namesOf(count), back);
      expect(pages).toBeLessThanOrEqual(3 * count + 3);
    }),
  );
});

test('a cursor that leads to itself is detected immediately', () => {
  const cursors = namesOf(100);
  expect(pagesUntilFound(undefined, cursors, 99)).toBe(101);
  expect(pagesUntilFound('c', ['c'], 0)).toBe(1);
});
