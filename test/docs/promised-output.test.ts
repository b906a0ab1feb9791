import { describe, expect, test } from 'vitest';
import { brokenPromises, keeps, promisesOf } from './promised-output';

describe('promisesOf', () => {
  test('reads the comment beside a console.log', () => {
    const code = "console.log('a'); // a\nif (b) console.log(f(b)) //  b, c\nlet c; // no output\n";
    expect(promisesOf(code)).toEqual(['a', ' b, c']);
  });

  test('reads the comments right below a console.log', () => {
    expect(promisesOf('  console.log(a);\n  // one\n  //  two\n\n// no output\n')).toEqual([
      'one',
      ' two',
    ]);
  });

  test('does not read comments below when there is one beside, nor below console.error', () => {
    expect(promisesOf('console.log(a); // a\n// why\nb();\n')).toEqual(['a']);
    expect(promisesOf('console.error(a);\n// why\n')).toEqual([]);
  });

  test('does not take an address for a comment', () => {
    expect(promisesOf("console.log('https://trade.example');\n")).toEqual([]);
  });
});

describe('keeps', () => {
  test.each([
    ['ord_… pending', 'ord_1 pending', true],
    ['ord_… pending', 'ord_1 confirmed', false],
    ['a, …', 'a, b, c', true],
    ['a', 'ab', false],
    ['3.1.0 (…)', '3.1.0 (x)', true],
    ['3.1.0', '3x1x0', false],
  ])('%s by %s: %s', (promise, line, kept) => {
    expect(keeps(promise, line)).toBe(kept);
  });
});

describe('brokenPromises', () => {
  test('finds nothing where all are kept in order, with more between', () => {
    expect(brokenPromises(['a', 'b'], 'x\na\ny\nb\n')).toEqual([]);
  });

  test('finds what is missing, and what comes too early', () => {
    expect(brokenPromises(['a', 'c', 'b'], 'b\na\n')).toEqual(['c', 'b']);
  });
});
