import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Moment } from '../moment';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 32;
const checksumLength = 6;
const shape = new RegExp(`^tpk_[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** What is kept of an API key: never the key itself. */
export interface ApiKey {
  /** `key_<id>`, to list and revoke it by. */
  id: string;
  accountId: string;
  /** SHA-256 of the whole key, lowercase hex. */
  hash: string;
  /** The key's first characters, by which people recognise it: `tpk_4fQx…`. */
  hint: string;
  readOnly: boolean;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Milliseconds since 1970; null for a key that does not expire. */
  expiresAt: number | null;
  /** Milliseconds since 1970; null while the key is good. */
  revokedAt: number | null;
}

/** A new key together with its text, which is shown once and kept nowhere. */
export interface IssuedKey {
  record: ApiKey;
  /** `tpk_`, 32 random characters of base62, and their checksum of 6. */
  apiKey: string;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < checksumLength; place += 1) {
    digits = (alphabet[rest % alphabet.length] ?? '') + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

/** Whether a text can be an API key at all: its shape and checksum are right. Needs no store. */
export function isApiKey(text: string): boolean {
  return (
    shape.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)
  );
}

/** What an API key is stored and looked up by. */
export function hashApiKey(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}

/** Issues a key of an account. About 190 bits of it are random. */
export function issueKey(
  key: { accountId: string; readOnly: boolean; expiresAt: number | null },
  moment: Moment,
): IssuedKey {
  let text = 'tpk_';
  for (let place = 0; place < randomLength; place += 1)
    text += alphabet[randomInt(alphabet.length)];
  const apiKey = text + checksum(text);
  return {
    apiKey,
    record: {
      ...key,
      id: moment.newId('key'),
      hash: hashApiKey(apiKey),
      hint: `${apiKey.slice(0, 8)}…`,
      createdAt: moment.now,
      revokedAt: null,
    },
  };
}
