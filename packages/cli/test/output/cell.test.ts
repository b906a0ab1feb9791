import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { cellWidth, pad, prepareToMeasure } from '../../src/output/cells';
import { createShortener, shorten } from '../../src/output/shorten';
import { escapeControlChars } from '../../src/output/text';

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

describe('the texts of a column', () => {
  const shortenAll = (texts: readonly string[], cells: number) => createShortener()(texts, cells);

  it('differ where IDs have the same start, and where they have the same end', () => {
    expect(shortenAll(['ord_01M7YPXJ5SMRF6RJ', 'ord_01M7YPXJ5HFF0ZH0'], 10)).toEqual([
      'ord…MRF6RJ',
      'ord…FF0ZH0',
    ]);
    expect(shortenAll(['ord_01M7YPXJ5S-retry', 'ord_01M7YPXJ4H-retry'], 10)).toEqual([
      '…J5S-retry',
      '…J4H-retry',
    ]);
  });

  it('differ where messages are about different orders', () => {
    const message = (id: string) => `Order ord_01M7YPXJ${id} is now fulfilling (was confirmed).`;
    expect(shortenAll([message('5SMR'), message('5HFF'), message('4T9W')], 30)).toEqual([
      'Order o…5SMR is now fu…irmed).',
      'Order o…5HFF is now fu…irmed).',
      'Order o…4T9W is now fu…irmed).',
    ]);
  });

  it('differ where only a repeated character tells the texts apart', () => {
    const urls = ['https://a.example//hooks/orders', 'https://a.example///hooks/orders'];
    expect(shortenAll(urls, 14)).toEqual(['h…hooks/orders', '…/hooks/orders']);
  });

  it('are equal where the texts are equal', () => {
    const texts = ['order.status_changed', 'order.created', 'order.status_changed'];
    const [first, , third] = shortenAll(texts, 12);
    expect(first).toBe(third);
  });

  it('fit, and differ where the texts differ', () => {
    const part = fc.stringMatching(/^[a-c/ ]{0,30}$/);
    const start = fc.constantFrom('', 'Order ord_01M7YPXJ', 'https://receiver.example/');
    const end = fc.constantFrom('', ' is now fulfilling (was confirmed).', '/hooks/orders');
    const value = fc.tuple(start, part, end).map((parts) => parts.join(''));
    const texts = fc.uniqueArray(value, { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 8, max: 60 }), (values, cells) => {
        const shown = shortenAll(values, cells);
        for (const one of shown) expect(cellWidth(one)).toBeLessThanOrEqual(cells);
        expect(new Set(shown).size).toBe(values.length);
      }),
      { numRuns: 500 },
    );
  });

  it('differ from those of an earlier part of the list, which stay as they are', () => {
    const shortenPart = createShortener();
    const [first] = shortenPart(['ord_01M7YPXJ5S-retry'], 10);
    const [second, again] = shortenPart(['ord_01M7YPXJ4H-retry', 'ord_01M7YPXJ5S-retry'], 10);
    expect(again).toBe(first);
    expect(second).not.toBe(first);
  });

  it('fit whatever the texts are, also in very few cells', () => {
    const any = fc.array(text, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(any, fc.integer({ min: 1, max: 20 }), (values, cells) => {
        for (const one of shortenAll(values, cells))
          expect(cellWidth(one)).toBeLessThanOrEqual(cells);
      }),
    );
  });
});
