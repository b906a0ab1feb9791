import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { aContext, noon } from '@tradepost/domain/test/builders';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashApiKey, isApiKey, issueKey } from '../../src/kernel/api-key';
import { aKey } from '../helpers/a-key';

const issued = fc.constant(null).map(() => aKey().apiKey);
const characters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_ =';

/** Computes the documented checksum: the CRC-32 in base62, six digits, most significant first. */
function computeChecksum(text: string): string {
  const digits = characters.slice(0, 62);
  let rest = BigInt(crc32(text));
  return Array.from({ length: 6 }, () => {
    const digit = digits[Number(rest % 62n)];
    rest /= 62n;
    return digit;
  })
    .reverse()
    .join('');
}

describe('among API keys,', () => {
  test('an issued key has the documented shape', () => {
    expect(aKey().apiKey).toMatch(/^tpk_[0-9A-Za-z]{38}$/);
  });

  test('an issued key is valid', () => {
    fc.assert(fc.property(issued, (apiKey) => isApiKey(apiKey)));
  });

  test('no two issued keys are equal', () => {
    const keys = Array.from({ length: 1_000 }, () => aKey().apiKey);
    expect(new Set(keys).size).toBe(1_000);
  });

  test('a key with any single changed character is invalid', () => {
    const { apiKey } = aKey();
    for (let place = 0; place < apiKey.length; place += 1) {
      for (const character of characters) {
        if (character === apiKey[place]) continue;
        const changed = apiKey.slice(0, place) + character + apiKey.slice(place + 1);
        if (isApiKey(changed)) throw new Error(`${changed} is taken for ${apiKey}`);
      }
    }
    expect(isApiKey(apiKey)).toBe(true);
  });

  test('a key that was truncated, repeated, or has two neighbours swapped is invalid', () => {
    fc.assert(
      fc.property(issued, fc.integer({ min: 4, max: 40 }), (apiKey, place) => {
        expect(isApiKey(apiKey.slice(0, place))).toBe(false);
        expect(isApiKey(apiKey.slice(place))).toBe(false);
        expect(isApiKey(apiKey + apiKey)).toBe(false);
        const swapped =
          apiKey.slice(0, place) + apiKey[place + 1] + apiKey[place] + apiKey.slice(place + 2);
        if (swapped !== apiKey) expect(isApiKey(swapped)).toBe(false);
      }),
    );
  });

  test('a key ends with the checksum of the rest', () => {
    fc.assert(
      fc.property(issued, (apiKey) => computeChecksum(apiKey.slice(0, -6)) === apiKey.slice(-6)),
    );
  });

  test('a valid checksum alone does not make a valid key', () => {
    for (const start of [
      '',
      'tpk_',
      'tpk_short',
      `tpk-${'a'.repeat(32)}`,
      `tpk_${'a'.repeat(33)}`,
    ]) {
      expect(isApiKey(start + computeChecksum(start)), start).toBe(false);
    }
    const start = `tpk_${'a'.repeat(32)}`;
    expect(isApiKey(start + computeChecksum(start))).toBe(true);
  });

  test('no other text is valid', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary-ascii' }),
      fc.stringMatching(/^tpk_[0-9A-Za-z]{38}$/),
      issued.map((apiKey) => `${apiKey}\n`),
      issued.map((apiKey) => ` ${apiKey}`),
    );
    fc.assert(fc.property(texts, (text) => !isApiKey(text)));
  });

  test('the record can identify and show a key, but cannot reveal it', () => {
    const request = { accountId: 'usr_1', readOnly: true, expiresAt: noon + 5 };
    const { record, apiKey } = issueKey(request, aContext());
    expect(record).toEqual({
      ...request,
      name: null,
      isSession: false,
      parentId: null,
      id: expect.stringMatching(/^key_/),
      hash: createHash('sha256').update(apiKey).digest('hex'),
      prefix: `${apiKey.slice(0, 8)}…`,
      createdAt: noon,
      revokedAt: null,
      lastUsedAt: null,
    });
    expect(record.hash).toBe(hashApiKey(apiKey));
    expect(JSON.stringify(record)).not.toContain(apiKey);
  });
});
