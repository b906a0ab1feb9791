import { describe, expect, test } from 'vitest';
import { idempotencyKeySchema, ifMatchSchema } from '../../src/index';
import { listIssues } from '../helpers/issues';

describe('Idempotency-Key', () => {
  test.each([
    ['a'],
    ['0d4c1f0e-3f0b-4f0a-9a55-3d1f6a4f6c1b'],
    ['"quoted"'],
    ['~!'],
    ['a'.repeat(255)],
  ])('may be %s', (key) => {
    expect(idempotencyKeySchema.parse(key)).toBe(key);
  });

  test('may be left out', () => {
    expect(idempotencyKeySchema.parse(undefined)).toBeUndefined();
  });

  test.each([[''], [' '], ['two words'], ['one, two'], ['a\n'], ['ключ'], ['a'.repeat(256)]])(
    'rejects %j',
    (key) => {
      expect(listIssues(idempotencyKeySchema, key)).toEqual([
        ': must be 1 to 255 visible ASCII characters',
      ]);
    },
  );
});

describe('If-Match', () => {
  test.each([['*'], ['"3"'], ['""'], ['W/"3"'], ['"3", "4"'], ['"3","4" , W/"5"'], [' "3" ']])(
    'may be %s',
    (tags) => {
      expect(ifMatchSchema.parse(tags)).toBe(tags);
    },
  );

  test('may be left out', () => {
    expect(ifMatchSchema.parse(undefined)).toBeUndefined();
  });

  test.each([
    [''],
    ['3'],
    ["'3'"],
    ['"3'],
    ['"3"4"'],
    ['w/"3"'],
    ['"3" "4"'],
    ['"3",'],
    ['*, "3"'],
  ])('rejects %s', (tags) => {
    expect(listIssues(ifMatchSchema, tags)).toEqual([
      ': must be * or the ETag of the order, including its quotes, such as "3"',
    ]);
  });

  test('is rejected quickly, even if it is long and malformed', () => {
    const started = performance.now();
    expect(listIssues(ifMatchSchema, `${'"3", '.repeat(3000)}${' '.repeat(3000)}x`)).toHaveLength(
      1,
    );
    expect(performance.now() - started).toBeLessThan(500);
  });
});
