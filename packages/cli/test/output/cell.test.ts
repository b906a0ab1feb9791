import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cellWidth,
  escapeControlChars,
  escapeControlCharsInJson,
  pad,
  shorten,
} from '../../src/output/text';

const text = fc.string({ unit: 'grapheme', maxLength: 60 }).map(escapeControlChars);

describe('text of others', () => {
  it('shows as their codes the characters that nobody sees', () => {
    expect(escapeControlChars('a\u200bb\u202ec\u00ad\u{e0041}\ufeff\u3164\u001b')).toBe(
      'a\\u200bb\\u202ec\\u00ad\\udb40\\udc41\\ufeff\\u3164\\u001b',
    );
    expect(JSON.parse(escapeControlCharsInJson('["\u{e0041}\u200b"]'))).toEqual([
      '\u{e0041}\u200b',
    ]);
    expect(escapeControlCharsInJson('[\n  "\u007f"\n]\n')).toBe('[\n  "\\u007f"\n]\n');
  });

  it('keeps the joiners and selectors of scripts and emoji', () => {
    const plain = '👩‍👩‍👧 ❤️ می‌خواهم क्‍ष 葛\u{e0100}';
    expect(escapeControlChars(plain)).toBe(plain);
  });
});

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
