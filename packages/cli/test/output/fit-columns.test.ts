import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ColumnSize, fitColumns, gap } from '../../src/output/table';

const column: fc.Arbitrary<ColumnSize> = fc.record({
  width: fc.integer({ min: 1, max: 120 }),
  whenNarrow: fc.constantFrom(undefined, 'leave-out', 'shorten'),
});
const columns = fc.array(column, { minLength: 1, maxLength: 8 });
const available = fc.integer({ min: 1, max: 300 });

function total(widths: number[]): number {
  const shown = widths.filter((width) => width > 0);
  return shown.reduce((sum, width) => sum + width, 0) + gap * (shown.length - 1);
}

describe('fitting columns into a terminal', () => {
  it('fits if the columns that must stay complete leave room', () => {
    fc.assert(
      fc.property(columns, available, (sizes, cells) => {
        const least = sizes
          .filter((size) => size.whenNarrow !== 'leave-out')
          .map((size) => (size.whenNarrow === 'shorten' ? Math.min(size.width, 40) : size.width));
        fc.pre(least.length > 0 && total(least) <= cells);
        expect(total(fitColumns(sizes, cells))).toBeLessThanOrEqual(cells);
      }),
    );
  });

  it('changes nothing if everything fits', () => {
    fc.assert(
      fc.property(columns, (sizes) => {
        const widths = sizes.map((size) => size.width);
        expect(fitColumns(sizes, total(widths))).toEqual(widths);
        expect(fitColumns(sizes, Number.POSITIVE_INFINITY)).toEqual(widths);
      }),
    );
  });

  it('keeps the columns complete that must be, and never widens', () => {
    fc.assert(
      fc.property(columns, available, (sizes, cells) => {
        for (const [index, width] of fitColumns(sizes, cells).entries()) {
          const size = sizes[index];
          if (size?.whenNarrow === undefined) expect(width).toBe(size?.width);
          else expect(width).toBeLessThanOrEqual(size.width);
          if (size?.whenNarrow === 'leave-out') expect([0, size.width]).toContain(width);
          if (size?.whenNarrow === 'shorten') expect(width).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('drops the last column first', () => {
    const sizes: ColumnSize[] = [
      { width: 30 },
      { width: 20, whenNarrow: 'leave-out' },
      { width: 20, whenNarrow: 'leave-out' },
    ];
    expect(fitColumns(sizes, 74)).toEqual([30, 20, 20]);
    expect(fitColumns(sizes, 73)).toEqual([30, 20, 0]);
    expect(fitColumns(sizes, 51)).toEqual([30, 0, 0]);
  });

  it('leaves out the columns on the right of a text before it truncates it, those on its left later', () => {
    const sizes: ColumnSize[] = [
      { width: 30 },
      { width: 19, whenNarrow: 'leave-out' },
      { width: 20, whenNarrow: 'shorten' },
      { width: 8, whenNarrow: 'leave-out' },
    ];
    expect(fitColumns(sizes, 83)).toEqual([30, 19, 20, 8]);
    expect(fitColumns(sizes, 82)).toEqual([30, 19, 20, 0]);
    expect(fitColumns(sizes, 72)).toEqual([30, 19, 19, 0]);
    expect(fitColumns(sizes, 61)).toEqual([30, 19, 8, 0]);
    expect(fitColumns(sizes, 60)).toEqual([30, 0, 20, 0]);
  });

  it('truncates text before it drops a column, and gives freed space back', () => {
    const sizes: ColumnSize[] = [
      { width: 30 },
      { width: 60, whenNarrow: 'shorten' },
      { width: 24, whenNarrow: 'leave-out' },
    ];
    expect(fitColumns(sizes, 110)).toEqual([30, 52, 24]);
    expect(fitColumns(sizes, 90)).toEqual([30, 58, 0]);
    expect(fitColumns(sizes, 50)).toEqual([30, 18, 0]);
  });
});
