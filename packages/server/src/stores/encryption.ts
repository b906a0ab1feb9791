/**
 * Encrypts secrets before a store writes them, with AES-256-GCM. The domain knows nothing of it.
 *
 * @example
 * const cipher = new SecretCipher(parseSecretKeys(generateSecretKey()));
 * const stored = cipher.encrypt(secretPlaces.current('whk_1'), 'whsec_…');
 * cipher.decrypt(secretPlaces.current('whk_1'), stored); // 'whsec_…'
 */

import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { crc32 } from 'node:zlib';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';

const keyPrefix = 'tpsk_';
const keyBytes = 32;
/** Hex digits of the CRC-32 at the end of a key: a key that is cut off or mistyped is detected before it is used. */
const checksumLength = 8;
const keyLength = keyPrefix.length + 2 * keyBytes + checksumLength;
const keyIdLength = 8;

/** A key that encrypts secrets. Neither logging nor serializing it shows the key. Can be passed to a thread. */
export interface SecretKey {
  /** The first 8 hex digits of a hash of the key, so that no two keys have the same ID by mistake. */
  id: string;
  key: KeyObject;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(checksumLength, '0');
}

/** Generates a secret key: `tpsk_`, 32 random bytes in hex and a checksum of 8 hex digits. */
export function generateSecretKey(): string {
  const text = keyPrefix + randomBytes(keyBytes).toString('hex');
  return text + checksum(text);
}

/** Returns why a text is not a secret key; null if it is one. Does not quote the text. */
function explainInvalidKey(text: string): string | null {
  if (!text.startsWith(keyPrefix)) return `does not start with ${keyPrefix}`;
  if (text.length !== keyLength) {
    const what = text.length < keyLength ? 'is cut off' : 'is too long';
    return `${what}: it has ${text.length} of ${keyLength} characters`;
  }
  if (!/^[0-9a-f]+$/.test(text.slice(keyPrefix.length))) return 'has characters that are not hex';
  const end = keyLength - checksumLength;
  return checksum(text.slice(0, end)) === text.slice(end)
    ? null
    : 'has a typo: its checksum is wrong';
}

/**
 * Parses secret keys, separated by white space or commas. In lines, `#` starts a comment.
 *
 * @returns At least one key, in their order: the first one encrypts, all decrypt.
 * @throws RangeError if there is none, or one is invalid or repeated. The message does not show it.
 */
export function parseSecretKeys(text: string): SecretKey[] {
  const keys = text
    .replaceAll(/#.*/g, '')
    .split(/[\s,]+/)
    .filter((word) => word !== '')
    .map((word, index) => {
      const reason = explainInvalidKey(word);
      if (reason !== null) throw new RangeError(`Key ${index + 1} ${reason}.`);
      const bytes = Buffer.from(word.slice(keyPrefix.length, keyLength - checksumLength), 'hex');
      const hash = createHash('sha256').update('tradepost secret key\n').update(bytes);
      return { id: hash.digest('hex').slice(0, keyIdLength), key: createSecretKey(bytes) };
    });
  if (keys.length === 0) throw new RangeError('There is no key.');
  const ids = keys.map(({ id }) => id);
  const repeated = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  if (repeated !== -1) {
    throw new RangeError(
      `Key ${repeated + 1} repeats key ${ids.indexOf(ids[repeated] ?? '') + 1}.`,
    );
  }
  return keys;
}

/** Names the places of secrets: a column and a row. An encrypted text is valid only in its place. */
export const secretPlaces = {
  /** The secret of a webhook. */
  current: (webhookId: string) => `webhooks.secret of ${webhookId}`,
  /** The staged secret of a webhook. */
  staged: (webhookId: string) => `webhooks.staged_secret of ${webhookId}`,
  /** The headers of a webhook. */
  headers: (webhookId: string) => `webhooks.headers of ${webhookId}`,
  /** A stored response that shows a webhook. */
  response: (key: { accountId: string; operation: string; key: string }, webhookId: string) =>
    `idempotency_keys.response of ${JSON.stringify([key.accountId, key.operation, key.key, webhookId])}`,
};

const algorithm = 'aes-256-gcm';
/** Marks an encrypted text. No endpoint secret and no JSON starts with it. */
const encryptedPrefix = 'encrypted:1:';
/** How long the start of an encrypted text is that ends with the ID of its key. */
export const keyIdEnd = encryptedPrefix.length + keyIdLength;
/** Source: NIST SP 800-38D, sections 5.2.1.1 and 5.2.1.2. */
const nonceBytes = 12;
const tagBytes = 16;
/** Some 5 MB. */
const defaultMaxCached = 10_000;

/** Returns the ID of the key that a stored text is encrypted with; null for plain text. */
export function readKeyId(stored: string): string | null {
  if (!stored.startsWith(encryptedPrefix)) return null;
  return stored.slice(encryptedPrefix.length, keyIdEnd);
}

/** Describes keys that are missing, and what to do. */
export function describeMissingKeys(ids: readonly string[]): string {
  const [what, it] = ids.length === 1 ? ['key', 'it'] : ['keys', 'them'];
  return `encrypted with the secret ${what} ${ids.join(', ')}, which this process does not have. Add ${it} to TRADEPOST_SECRET_KEY or --secret-key-file.`;
}

/**
 * Encrypts and decrypts the secrets of a store. An encrypted text says which key it needs. Moved to another place, it cannot be
 * decrypted.
 *
 * The form is `encrypted:1:<key ID>:<nonce>:<ciphertext>:<tag>`, the last three in base64url.
 */
export class SecretCipher {
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #maxCached: number;
  /** The latest secret of each place, as it is stored and decrypted. */
  readonly #cache = new Map<string, { stored: string; secret: string }>();
  /** The key that encrypts; null if secrets are stored in plain text. */
  readonly keyId: string | null;

  /**
   * @param keys The first one encrypts, all decrypt. Without keys, secrets are stored in plain text.
   * @param maxCached How many decrypted secrets are kept in memory.
   */
  constructor(keys: readonly SecretKey[], maxCached: number = defaultMaxCached) {
    this.#keys = new Map(keys.map(({ id, key }) => [id, key]));
    this.#maxCached = maxCached;
    this.keyId = keys[0]?.id ?? null;
  }

  /** Whether a key with this ID is configured. */
  hasKey(id: string): boolean {
    return this.#keys.has(id);
  }

  /** Encrypts a secret for its place, with the first key. Empty texts stay empty. */
  encrypt(place: string, secret: string): string {
    const key = this.#keys.get(this.keyId ?? '');
    if (key === undefined || secret === '') return secret;
    const nonce = randomBytes(nonceBytes);
    const header = `${encryptedPrefix}${this.keyId}`;
    const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
    cipher.setAAD(Buffer.from(`${header}:${place}`));
    const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    const parts = [nonce, ciphertext, cipher.getAuthTag()];
    return [header, ...parts.map((part) => part.toString('base64url'))].join(':');
  }

  /**
   * Decrypts a stored text. Returns plain text unchanged: it was stored before there was a key.
   *
   * @throws StoreUnavailableError if its key is not configured, or if it was changed or moved from another place.
   */
  decrypt(place: string, stored: string): string {
    const keyId = readKeyId(stored);
    if (keyId === null) return stored;
    const key = this.#keys.get(keyId);
    if (key === undefined) {
      throw new StoreUnavailableError(`${place} is ${describeMissingKeys([keyId])}`);
    }
    try {
      const [nonce, ciphertext, tag] = stored
        .slice(keyIdEnd + 1)
        .split(':')
        .map((part) => Buffer.from(part, 'base64url'));
      if (!(nonce && ciphertext && tag)) throw new RangeError('A part is missing.');
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(`${encryptedPrefix}${keyId}:${place}`));
      decipher.setAuthTag(tag);
      return decipher.update(ciphertext, undefined, 'utf8') + decipher.final('utf8');
    } catch (error) {
      throw new StoreUnavailableError(
        `${place} cannot be decrypted: it was changed, or copied from another row. Restore it from a backup.`,
        { cause: error },
      );
    }
  }

  /** Like `decrypt`, but remembers the result, for secrets that are read again and again. */
  decryptCached(place: string, stored: string): string {
    if (readKeyId(stored) === null) return stored;
    const cached = this.#cache.get(place);
    if (cached?.stored === stored) return cached.secret;
    const secret = this.decrypt(place, stored);
    // The oldest entry is dropped. A secret that changes replaces its own entry.
    const [oldest] = this.#cache.keys();
    if (cached === undefined && oldest !== undefined && this.#cache.size >= this.#maxCached) {
      this.#cache.delete(oldest);
    }
    this.#cache.set(place, { stored, secret });
    return secret;
  }

  /** Forgets the decrypted secret of a place. */
  forget(place: string): void {
    this.#cache.delete(place);
  }
}
