import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { shorten } from '../../src/output/shorten';
import { escapeControlChars } from '../../src/output/text';
import { cellWidth, pad, prepareToMeasure } from '../../src/output/wrap';

const text = fc.string({ unit: 'grapheme', maxLength: 60 }).map(escapeControlChars);

beforeAll(() => prepareToMeasure(['界']));

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

describe('a URL that is shortened', () => {
  const url = 'https://receiver.example/tradepost/orders/v2/hook';

  it('keeps its host and the end of its path', () => {
    expect(shorten(url, 40)).toBe('https://receiver.example…/orders/v2/hook');
    expect(shorten(url, 25)).toBe('receiver.example…/v2/hook');
  });

  it('loses the scheme only if it is https', () => {
    expect(shorten('https://receiver.example/hook', 21)).toBe('receiver.example/hook');
    expect(shorten(url.replace('https', 'http'), 30)).toBe('http://receiver.example…2/hook');
  });

  it('keeps its host also if nothing else fits', () => {
    expect(shorten(url, 18)).toBe('receiver.example…k');
    expect(shorten(url, 17)).toBe('receiver.example…');
    expect(shorten(url.replace('https', 'http'), 22)).toBe('receiver.example…/hook');
  });

  it('is shortened as any text if its host does not fit', () => {
    expect(shorten(url, 12)).toBe('http…v2/hook');
  });
});
