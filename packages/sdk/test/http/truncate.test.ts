import fc from 'fast-check';
import { expect, test } from 'vitest';
import { truncate } from '../../src/http/response';
import { anyCharacter } from '../helpers/any-character';

test('a short text is quoted completely, on one line', () => {
  expect(truncate(' {"a":\r\n\t1} ')).toBe('{"a": 1}');
});

test('an empty text is called an empty body', () => {
  expect(truncate('')).toBe('an empty body');
  expect(truncate(' \n')).toBe('a blank body');
});

test('the excerpt of any text is short, on one line and free of control characters', () => {
  const anyText = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 2_000 }),
    fc.string({ maxLength: 2_000 }),
  );
  fc.assert(
    fc.property(anyText, (text) => {
      const shown = truncate(text);
      expect(shown.length).toBeLessThanOrEqual(201);
      expect(shown).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    }),
  );
});

test('terminal escapes and bidirectional overrides are removed', () => {
  expect(truncate('\u001b[31mred\u202Eder')).toBe('[31mred der');
});
