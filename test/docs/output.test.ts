import { describe, expect, test } from 'vitest';
import {
  compareOutput,
  createIdMapping,
  findExpectedLines,
  findMissingLines,
  matchesLine,
} from './output';

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

const order = (letter: string) => `ord_${letter.repeat(26)}`;
const compare = (shown: string[], real: string[]) =>
  compareOutput(shown, real, createIdMapping({}));

test('IDs and times may differ, but not their positions', () => {
  const shown = [`${order('A')}  40  2026-11-21T09:27:38.378Z`];
  const same = compare(shown, [`${order('1')}  40  2027-01-01T00:00:00.000Z`]);
  expect(same.real).toEqual(same.shown);
  const shifted = compare(shown, [`${order('1')}   40  2027-01-01T00:00:00.000Z`]);
  expect(shifted.real).not.toEqual(shifted.shown);
});

test('an ID that was mapped to another before is a difference', () => {
  const { shown, real } = compare([order('A'), order('A')], [order('1'), order('2')]);
  expect(real[0]).toBe(shown[0]);
  expect(real[1]).not.toBe(shown[1]);
});

test('an ellipsis stands for anything within its line', () => {
  const { shown, real } = compare(['secret  whsec_…', 'end'], ['secret  whsec_1', 'end']);
  expect(real).toEqual(shown);
});

test('a line too many and a line too few are differences', () => {
  const more = compare(['a'], ['a', 'b']);
  expect(more.real).not.toEqual(more.shown);
  const fewer = compare(['a', 'b'], ['a']);
  expect(fewer.real).not.toEqual(fewer.shown);
});

const key = (letter: string) => `key_${letter.repeat(26)}`;

test('toReal maps an ID of a README to the same real one every time, and another to another', () => {
  const mapping = createIdMapping({ ord: [order('1'), order('2')] });
  expect(mapping.toReal(`get ${order('A')} ${order('B')} ${order('A')}`)).toBe(
    `get ${order('1')} ${order('2')} ${order('1')}`,
  );
});

test('toReal prefers a pair that was learned from output to the next ID of the pool', () => {
  const mapping = createIdMapping({ ord: [order('1'), order('2')] });
  mapping.learn(`${order('A')}  pending`, `${order('2')}  pending`);
  expect(mapping.toReal(order('A'))).toBe(order('2'));
  expect(mapping.toReal(order('B'))).toBe(order('1'));
});

test('toDocumented replaces real IDs that are paired, and keeps others', () => {
  const mapping = createIdMapping({});
  mapping.learn(`id ${order('A')}`, `id ${order('1')}`);
  expect(mapping.toDocumented(`/v1/orders/${order('1')}, ${order('2')}`)).toBe(
    `/v1/orders/${order('A')}, ${order('2')}`,
  );
});

test('learn keeps existing pairs, and never pairs IDs with different prefixes', () => {
  const mapping = createIdMapping({});
  mapping.learn(order('A'), order('1'));
  mapping.learn(order('A'), order('2'));
  mapping.learn(order('B'), order('1'));
  mapping.learn(order('C'), key('3'));
  const output = `${order('1')} ${order('2')} ${key('3')}`;
  expect(mapping.toDocumented(output)).toBe(`${order('A')} ${order('2')} ${key('3')}`);
});

test('learn pairs secrets and request IDs too', () => {
  const mapping = createIdMapping({});
  const secret = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
  const request = (digit: string) => `req_${digit.repeat(32)}`;
  mapping.learn(`${secret(1)} ${request('a')}`, `${secret(2)} ${request('b')}`);
  expect(mapping.toDocumented(`${secret(2)} ${request('b')}`)).toBe(`${secret(1)} ${request('a')}`);
});

test('toReal throws when the pool has no ID left', () => {
  expect(() => createIdMapping({}).toReal(order('A'))).toThrow(
    `There is no real ID for ${order('A')}.`,
  );
});
