import { inspect } from 'node:util';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import {
  generateSecretKey,
  parseSecretKeys,
  readKeyId,
  SecretCipher,
  secretPlaces,
} from '../../src/stores/encryption';

const one = generateSecretKey();
const other = generateSecretKey();
const place = secretPlaces.current('whk_1');
const secret = 'whsec_c2VjcmV0';

function createCipher(...keys: string[]): SecretCipher {
  return new SecretCipher(keys.length === 0 ? [] : parseSecretKeys(keys.join('\n')));
}

/** Changes the last character of one part of an encrypted text. */
function tamper(stored: string, part: number): string {
  const parts = stored.split(':');
  const text = parts[part] ?? '';
  // The first character: the last one may have unused bits.
  parts[part] = (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
  return parts.join(':');
}

describe('a secret key', () => {
  test('has a prefix, 32 bytes and a checksum, and an ID that depends on nothing else', () => {
    expect(one).toMatch(/^tpsk_[0-9a-f]{72}$/);
    expect(other).not.toBe(one);
    const [key] = parseSecretKeys(one);
    expect(key).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{8}$/) });
    expect(key?.key.symmetricKeySize).toBe(32);
    expect(parseSecretKeys(`${other}\n${one}`)[1]?.id).toBe(key?.id);
  });

  test('is parsed in the order of the text, with white space, commas and comments', () => {
    const ids = [one, other].map((text) => parseSecretKeys(text)[0]?.id);
    for (const text of [
      `${one}\n${other}`,
      `${one},${other}`,
      ` ${one}\r\n\r\n${other} \n`,
      `# the newest, of 2026, ${other}\n${one} # since May\n${other}`,
    ]) {
      expect(parseSecretKeys(text).map(({ id }) => id)).toEqual(ids);
    }
  });

  test.each([
    ['nothing', '', 'There is no key.'],
    ['only a comment', '# later', 'There is no key.'],
    ['another text', 'correct-horse-battery-staple', 'Key 1 does not start with tpsk_.'],
    ['bare hex', 'ab'.repeat(32), 'Key 1 does not start with tpsk_.'],
    ['a part of a key', one.slice(0, -1), 'Key 1 is cut off: it has 76 of 77 characters.'],
    ['more than a key', `${one}0`, 'Key 1 is too long: it has 78 of 77 characters.'],
    ['a key in capitals', `tpsk_${one.slice(5).toUpperCase()}`, 'Key 1 has'],
    [
      'a key with a typo',
      `${one.slice(0, 20)}${one[20] === '0' ? '1' : '0'}${one.slice(21)}`,
      'Key 1 has a typo: its checksum is wrong.',
    ],
    ['a second key that is cut off', `${one}\n${other.slice(0, 40)}`, 'Key 2 is cut off'],
    ['the same key twice', `${one}\n${other}\n${one}`, 'Key 3 repeats key 1.'],
  ])('cannot be %s, and the error does not show it', (_what, text, message) => {
    const parse = () => parseSecretKeys(text);
    expect(parse).toThrow(RangeError);
    expect(parse).toThrow(message);
    for (const word of text.split(/\s+/).filter(({ length }) => length > 10)) {
      expect(parse).not.toThrow(word);
    }
  });

  test('with any one character changed is not a key', () => {
    const position = fc.integer({ min: 0, max: one.length - 1 });
    const character = fc.constantFrom(...'0123456789abcdef_xZ');
    fc.assert(
      fc.property(position, character, (at, to) => {
        fc.pre(one[at] !== to);
        expect(() => parseSecretKeys(one.slice(0, at) + to + one.slice(at + 1))).toThrow(
          RangeError,
        );
      }),
    );
  });

  test('is not shown when it is logged, printed or serialized', () => {
    const keys = parseSecretKeys(one);
    let logged = '';
    const log = pino({ base: null }, { write: (line: string) => (logged += line) });
    log.info({ storeOptions: { secretKeys: keys } }, 'options');
    const bytes = one.slice(5, 37);
    for (const text of [logged, inspect(keys, { depth: 9 }), JSON.stringify(keys)]) {
      expect(text).toContain(keys[0]?.id);
      expect(text).not.toContain(bytes);
      expect(text).not.toContain(Buffer.from(bytes, 'hex').toString('base64').slice(0, 12));
    }
  });
});

describe('a secret cipher', () => {
  test('encrypts to a text with version, key ID, nonce, ciphertext and tag, and decrypts it', () => {
    const cipher = createCipher(one);
    const stored = cipher.encrypt(place, secret);
    const [id] = parseSecretKeys(one).map((key) => key.id);
    expect(stored).toMatch(
      new RegExp(
        `^encrypted:1:${id}:[\\w-]{16}:[\\w-]{${Math.ceil((secret.length * 4) / 3)}}:[\\w-]{22}$`,
      ),
    );
    expect(readKeyId(stored)).toBe(id);
    expect(cipher.decrypt(place, stored)).toBe(secret);
    expect(cipher.encrypt(place, secret)).not.toBe(stored);
  });

  test('decrypts every text that it encrypted, in its own place only', () => {
    const cipher = createCipher(one);
    const texts = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(texts, texts, texts, (text, own, foreign) => {
        const stored = cipher.encrypt(own, text);
        expect(stored).not.toContain(text.length > 8 ? text : ' ');
        expect(cipher.decrypt(own, stored)).toBe(text);
        fc.pre(own !== foreign);
        expect(() => cipher.decrypt(foreign, stored)).toThrow(StoreUnavailableError);
      }),
    );
  });

  test('without a key stores plain text, and names the key that an encrypted text needs', () => {
    const cipher = createCipher();
    expect(cipher.keyId).toBeNull();
    expect(cipher.encrypt(place, secret)).toBe(secret);
    expect(cipher.decrypt(place, secret)).toBe(secret);
    const stored = createCipher(one).encrypt(place, secret);
    const [id] = parseSecretKeys(one).map((key) => key.id);
    expect(() => cipher.decrypt(place, stored)).toThrow(
      `webhooks.secret of whk_1 is encrypted with the secret key ${id}, which this process does not have.`,
    );
  });

  test('encrypts with the first of its keys, decrypts with all, and returns plain text as it is', () => {
    const stored = createCipher(one).encrypt(place, secret);
    const rotating = createCipher(other, one);
    expect(rotating.decrypt(place, stored)).toBe(secret);
    expect(rotating.decrypt(place, secret)).toBe(secret);
    const renewed = rotating.encrypt(place, secret);
    expect(readKeyId(renewed)).toBe(rotating.keyId);
    expect(() => createCipher(one).decrypt(place, renewed)).toThrow('does not have');
    expect(() => createCipher(other).decrypt(place, stored)).toThrow('does not have');
  });

  test('keeps an erased secret empty', () => {
    expect(createCipher(one).encrypt(place, '')).toBe('');
    expect(createCipher(one).decrypt(place, '')).toBe('');
  });

  test.each([
    ['the nonce', 3],
    ['the ciphertext', 4],
    ['the tag', 5],
  ])('rejects a text in which %s was changed, and does not show the text', (_what, part) => {
    const cipher = createCipher(one);
    const stored = cipher.encrypt(place, secret);
    const read = () => cipher.decryptCached(place, tamper(stored, part));
    expect(read).toThrow(StoreUnavailableError);
    expect(read).toThrow('webhooks.secret of whk_1 cannot be decrypted: it was changed');
    expect(read).not.toThrow(secret);
    expect(cipher.decryptCached(place, stored)).toBe(secret);
    expect(read).toThrow('cannot be decrypted');
  });

  test.each([
    ['without a tag', (stored: string) => stored.split(':').slice(0, 5).join(':')],
    ['with a tag of 4 bytes', (stored: string) => stored.slice(0, -22) + stored.slice(-22, -16)],
    ['with an empty nonce', (stored: string) => stored.replace(/:[\w-]{16}:/, '::')],
    ['that ends after the key ID', (stored: string) => stored.slice(0, 20)],
  ])('rejects a text %s', (_what, change) => {
    const cipher = createCipher(one);
    const changed = change(cipher.encrypt(place, secret));
    expect(() => cipher.decrypt(place, changed)).toThrow('cannot be decrypted');
  });

  test('does not take a key ID that was exchanged for the one of another key', () => {
    const cipher = createCipher(one, other);
    const [first = '', second = ''] = parseSecretKeys(`${one},${other}`).map(({ id }) => id);
    const stored = cipher.encrypt(place, secret).replace(first, second);
    expect(() => cipher.decrypt(place, stored)).toThrow('cannot be decrypted');
  });

  test('does not return a remembered secret in another place', () => {
    const cipher = createCipher(one);
    const stored = cipher.encrypt(place, secret);
    expect(cipher.decryptCached(place, stored)).toBe(secret);
    for (const foreign of [secretPlaces.current('whk_2'), secretPlaces.staged('whk_1')]) {
      expect(() => cipher.decryptCached(foreign, stored)).toThrow('cannot be decrypted');
    }
  });

  test('returns the new secret of a place after a change, with more places than it remembers', () => {
    const cipher = new SecretCipher(parseSecretKeys(one), 3);
    for (let round = 0; round < 3; round += 1) {
      const rows = Array.from({ length: 5 }, (_, index) => secretPlaces.current(`whk_${index}`));
      const stored = rows.map((row) => cipher.encrypt(row, `${row} in round ${round}`));
      for (let again = 0; again < 2; again += 1) {
        for (const [index, row] of rows.entries()) {
          expect(cipher.decryptCached(row, stored[index] ?? '')).toBe(`${row} in round ${round}`);
        }
      }
    }
    cipher.forget(place);
    expect(cipher.decryptCached(place, cipher.encrypt(place, secret))).toBe(secret);
  });
});
