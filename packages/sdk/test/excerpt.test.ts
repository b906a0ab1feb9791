import fc from 'fast-check';
import { expect, test } from 'vitest';
import { excerpt } from '../src/internal/excerpt';

test('a short text is shown whole, on one line', () => {
  expect(excerpt(' {"a":\r\n\t1} ')).toBe('{"a": 1}');
});

test('nothing is called nothing', () => {
  expect(excerpt('')).toBe('an empty body');
  expect(excerpt(' \n')).toBe('a blank body');
});

test('whatever the text, the excerpt is short, on one line and free of control characters', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 2_000 }),
    fc.string({ maxLength: 2_000 }),
  );
  fc.assert(
    fc.property(anyText, (text) => {
      const shown = excerpt(text);
      expect(shown.length).toBeLessThanOrEqual(201);
      expect(shown).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    }),
  );
});

test('terminal escapes and text that runs backwards are made harmless', () => {
  expect(excerpt('\u001b[31mred\u202Eder')).toBe('[31mred der');
});
