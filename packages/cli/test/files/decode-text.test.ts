import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../src/files/decode-text';

const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('a text of another system', () => {
  it.each([
    ['UTF-8', Buffer.from('Müller')],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffMüller')],
    ['UTF-16LE with a byte order mark', Buffer.from('\ufeffMüller', 'utf16le')],
    ['UTF-16BE with a byte order mark', bigEndian('\ufeffMüller')],
    ['UTF-16LE', Buffer.from('Müller', 'utf16le')],
    ['UTF-16BE', bigEndian('Müller')],
  ])('is read: %s', (_, bytes) => {
    expect(decodeText(bytes, 'a.txt')).toBe('Müller');
  });

  it('is what was saved, in each encoding', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        for (const encoding of ['utf8', 'utf16le'] as const) {
          expect(decodeText(Buffer.from(`\ufeff${text}`, encoding), 'a.txt')).toBe(text);
        }
      }),
    );
  });

  it.each([
    ['a.txt is neither UTF-8 nor UTF-16', Buffer.from('Müller', 'latin1')],
    ['a.txt is neither UTF-8 nor UTF-16', Buffer.of(0xff, 0xfe, 0)],
    ['a.txt is UTF-32 or binary', Buffer.of(0xff, 0xfe, 0, 0, 0x4d, 0, 0, 0)],
    ['a.txt is UTF-32 or binary', Buffer.of(0, 0, 0xfe, 0xff, 0, 0, 0, 0x4d)],
  ])('is rejected with its encoding: %s', (message, bytes) => {
    expect(() => decodeText(bytes, 'a.txt')).toThrow(message);
  });

  it('is read in the encoding of old spreadsheets where that is expected', () => {
    expect(decodeText(Buffer.from('Müller', 'latin1'), 'a.csv', 'windows-1252')).toBe('Müller');
  });
});
