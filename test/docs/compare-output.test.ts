import { expect, test } from 'vitest';
import { compareOutput } from './compare-output';
import { createIdMapping } from './id-mapping';

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
