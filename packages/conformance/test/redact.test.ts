import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor } from '../src/run/redact';

test('a secret is replaced in bytes, and all other bytes stay', () => {
  const secret = fc.uuid();
  const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array));
  fc.assert(
    fc.property(secret, bytes, bytes, (value, before, after) => {
      const redactor = createRedactor([[value, '$KEY']]);
      const around = (middle: string) => Buffer.concat([before, Buffer.from(middle), after]);
      expect(redactor.bytes(around(value)).equals(around('$KEY'))).toBe(true);
      expect(redactor.text(`Bearer ${value}`)).toBe('Bearer $KEY');
    }),
  );
});

test('a key that contains another one is replaced as a whole', () => {
  const redactor = createRedactor([
    ['key_1234', '$KEY_BUYER'],
    ['key_12345', '$KEY_SELLER'],
  ]);
  expect(redactor.text('Bearer key_12345, Bearer key_1234')).toBe(
    'Bearer $KEY_SELLER, Bearer $KEY_BUYER',
  );
});

test('bytes without a secret are the same bytes', () => {
  const body = Buffer.from([0xff, 0xfe, 0x00, 0x80]);
  expect(createRedactor([['secret', '$SECRET']]).bytes(body)).toBe(body);
});

test.each([
  ['{"key":"a\\"b\\\\c/d"}', '{"key":"$KEY"}'],
  ['{"key":"a\\"b\\\\c\\/d"}', '{"key":"$KEY"}'],
  ['/hook?key=a%22b%5Cc%2Fd', '/hook?key=$KEY'],
  ['Expected "a\\"b\\\\c…', 'Expected "$KEY…'],
  ['Expected a"b\\…, got nothing…', 'Expected $KEY…, got nothing…'],
])('a key is replaced where it is escaped or cut: %s', (text, expected) => {
  expect(createRedactor([['a"b\\c/d', '$KEY']]).text(text)).toBe(expected);
});
