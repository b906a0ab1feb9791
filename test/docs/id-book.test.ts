import { expect, test } from 'vitest';
import { createIdBook } from './id-book';

const order = (letter: string) => `ord_${letter.repeat(26)}`;
const key = (letter: string) => `key_${letter.repeat(26)}`;

test('an id of a README stands for the same real one every time, another for another', () => {
  const book = createIdBook({ ord: [order('1'), order('2')] });
  expect(book.toReal(`get ${order('A')} ${order('B')} ${order('A')}`)).toBe(
    `get ${order('1')} ${order('2')} ${order('1')}`,
  );
});

test('what output taught goes before the order of the pool', () => {
  const book = createIdBook({ ord: [order('1'), order('2')] });
  book.learn(`${order('A')}  pending`, `${order('2')}  pending`);
  expect(book.toReal(order('A'))).toBe(order('2'));
  expect(book.toReal(order('B'))).toBe(order('1'));
});

test('real output reads as the README does, and what was never paired stays', () => {
  const book = createIdBook({});
  book.learn(`id ${order('A')}`, `id ${order('1')}`);
  expect(book.toShown(`/v1/orders/${order('1')}, ${order('2')}`)).toBe(
    `/v1/orders/${order('A')}, ${order('2')}`,
  );
});

test('a pair once made is kept, and ids of two kinds are never one', () => {
  const book = createIdBook({});
  book.learn(order('A'), order('1'));
  book.learn(order('A'), order('2'));
  book.learn(order('B'), order('1'));
  book.learn(order('C'), key('3'));
  const output = `${order('1')} ${order('2')} ${key('3')}`;
  expect(book.toShown(output)).toBe(`${order('A')} ${order('2')} ${key('3')}`);
});

test('secrets and request ids are paired too', () => {
  const book = createIdBook({});
  const secret = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
  const request = (digit: string) => `req_${digit.repeat(32)}`;
  book.learn(`${secret(1)} ${request('a')}`, `${secret(2)} ${request('b')}`);
  expect(book.toShown(`${secret(2)} ${request('b')}`)).toBe(`${secret(1)} ${request('a')}`);
});

test('refuses to make up an id of which the world has none left', () => {
  expect(() => createIdBook({}).toReal(order('A'))).toThrow(
    `There is no real id to put for ${order('A')}.`,
  );
});
