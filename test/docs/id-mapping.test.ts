import { expect, test } from 'vitest';
import { createIdMapping } from './id-mapping';

const order = (letter: string) => `ord_${letter.repeat(26)}`;
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
