import { describe, expect, test } from 'vitest';
import { findExpectedLines, findMissingLines, matchesLine } from './expected-output';

describe('findExpectedLines', () => {
  test('reads the comment beside a console.log', () => {
    const code = "console.log('a'); // a\nif (b) console.log(f(b)) //  b, c\nlet c; // no output\n";
    expect(findExpectedLines(code)).toEqual(['a', ' b, c']);
  });

  test('reads the comments right below a console.log', () => {
    expect(findExpectedLines('  console.log(a);\n  // one\n  //  two\n\n// no output\n')).toEqual([
      'one',
      ' two',
    ]);
  });

  test('ignores comments below a line with a comment beside it, and below console.error', () => {
    expect(findExpectedLines('console.log(a); // a\n// why\nb();\n')).toEqual(['a']);
    expect(findExpectedLines('console.error(a);\n// why\n')).toEqual([]);
  });

  test('does not read a URL as a comment', () => {
    expect(findExpectedLines("console.log('https://trade.example');\n")).toEqual([]);
  });
});

describe('matchesLine', () => {
  test.each([
    ['ord_… pending', 'ord_1 pending', true],
    ['ord_… pending', 'ord_1 confirmed', false],
    ['a, …', 'a, b, c', true],
    ['a', 'ab', false],
    ['3.1.0 (…)', '3.1.0 (x)', true],
    ['3.1.0', '3x1x0', false],
  ])('compares %s with %s: %s', (expected, line, matches) => {
    expect(matchesLine(expected, line)).toBe(matches);
  });
});

describe('findMissingLines', () => {
  test('returns nothing if all lines are there in order, with others between', () => {
    expect(findMissingLines(['a', 'b'], 'x\na\ny\nb\n')).toEqual([]);
  });

  test('returns lines that are missing or too early', () => {
    expect(findMissingLines(['a', 'c', 'b'], 'b\na\n')).toEqual(['c', 'b']);
  });
});
