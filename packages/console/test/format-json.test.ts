import { describe, expect, test } from 'vitest';
import { formatJson } from '../src/ui/format-json';

describe('JSON on lines', () => {
  test.each([
    { a: 1, b: [true, null, 'x, {y}: [z]'], c: {}, d: [], e: { f: ['"', '\\', '\n'] } },
    [[], [{}], ''],
    [],
  ])('is what JSON.stringify makes of %j', (value) => {
    const expected = JSON.stringify(value, null, 2);
    expect(formatJson(JSON.stringify(value))).toBe(expected);
    expect(formatJson(JSON.stringify(value, null, '\t'))).toBe(expected);
  });

  test('keeps numbers, escapes, repeated names and their order', () => {
    expect(
      formatJson('{"n":9007199254740993,"2":1.10,"1":1e400,"n":-0,"\\u0061\\"":"\\/\\u202e"}'),
    ).toBe(
      '{\n  "n": 9007199254740993,\n  "2": 1.10,\n  "1": 1e400,\n  "n": -0,\n  "\\u0061\\"": "\\/\\u202e"\n}',
    );
  });

  test.each([
    '',
    'x',
    '7',
    '"{}"',
    '{"a":1',
    '{a:1}',
    '[1,]',
    '{} {}',
    '['.repeat(60) + ']'.repeat(60),
  ])('is not made of %j', (text) => {
    expect(formatJson(text)).toBe(null);
  });
});
