import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellWidth, escapeControlChars, pad, shorten } from '../../src/output/text';

const text = fc.string({ unit: 'grapheme', maxLength: 60 }).map(escapeControlChars);

describe('a cell of a table', () => {
  it('is never wider than the limit once it is truncated', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 60 }), (value, cells) => {
        expect(cellWidth(shorten(value, cells))).toBeLessThanOrEqual(cells);
      }),
    );
  });

  it('is unchanged if it fits', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(shorten(value, Math.max(1, cellWidth(value)))).toBe(value);
      }),
    );
  });

  it('keeps its start, and more of its end, when it is truncated', () => {
    expect(shorten('Order ord_1 is now fulfilling.', 20)).toBe('Order o… fulfilling.');
  });

  it('never cuts a wide character in half', () => {
    expect(shorten('日本語の注文', 8)).toBe('日…注文');
    expect(cellWidth('日…注文')).toBe(7);
  });

  it('is padded to its width, whatever it contains', () => {
    fc.assert(
      fc.property(text, (value) => {
        const cells = cellWidth(value) + 3;
        expect(cellWidth(pad(value, cells))).toBe(cells);
        expect(pad(value, cells, 'right').endsWith(value)).toBe(true);
      }),
    );
  });
});
