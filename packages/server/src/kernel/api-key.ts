import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ApiKey } from '@tradepost/domain/accounts/account';
import { createKeyRecord, type NewKey, type Tokens } from '@tradepost/domain/accounts/key';
import type { Clock, CommandContext } from '@tradepost/domain/kernel/context';
import type { Logger } from 'pino';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 32;
const checksumLength = 6;
const shape = new RegExp(`^tpk_[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** A new key. The key itself is shown once and not stored. */
export interface IssuedKey {
  record: ApiKey;
  /** `tpk_`, 32 random base62 characters and a checksum of 6 characters. */
  apiKey: string;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < checksumLength; index += 1) {
    digits = (alphabet[rest % alphabet.length] ?? '') + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

/** Returns whether a text has the shape and the checksum of an API key. Does not need the store. */
export function isApiKey(text: string): boolean {
  return (
    shape.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)
  );
}

/** Returns the SHA-256 that a key is stored under. */
export function hashApiKey(apiKey: string): string {
  return hash('sha256', apiKey);
}

/** API keys and sign-in codes of about 190 random bits, with a checksum, and stored as their SHA-256. */
export const tokens: Tokens = {
  create(prefix) {
    let text = `${prefix}_`;
    for (let index = 0; index < randomLength; index += 1)
      text += alphabet[randomInt(alphabet.length)];
    return text + checksum(text);
  },
  hash: hashApiKey,
};

/** Creates a key for an account. */
export function issueKey(key: NewKey, context: CommandContext): IssuedKey {
  const apiKey = tokens.create('tpk');
  return { apiKey, record: createKeyRecord(key, apiKey, tokens, context) };
}

const minuteMs = 60_000;

/**
 * Remembers when API keys were used, to the minute, and stores it in one batch a minute. A request pays for nothing but an entry
 * in a map. Create it before the first request, and stop it before the store is closed.
 */
export class KeyUsage {
  readonly #record: (uses: ReadonlyMap<string, number>) => Promise<void>;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** The minutes of use that are not stored yet, by key ID. */
  #pending = new Map<string, number>();
  #cancelFlush: () => void = () => {};

  /** @param record `AccountStore.recordKeyUses`. */
  constructor(
    record: (uses: ReadonlyMap<string, number>) => Promise<void>,
    clock: Clock,
    log: Logger,
  ) {
    this.#record = record;
    this.#clock = clock;
    this.#log = log;
    this.#scheduleFlush();
  }

  /** Notes that a key is used now. That is stored within a minute. */
  touch(keyId: string): void {
    const now = this.#clock.now();
    this.#pending.set(keyId, now - (now % minuteMs));
  }

  /** Stores what is not stored yet. Resolves even if that fails. */
  async stop(): Promise<void> {
    this.#cancelFlush();
    await this.#flush();
  }

  #scheduleFlush(): void {
    this.#cancelFlush = this.#clock.schedule(minuteMs, () => {
      this.#scheduleFlush();
      void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    if (this.#pending.size === 0) return;
    const uses = this.#pending;
    this.#pending = new Map();
    try {
      await this.#record(uses);
    } catch (error) {
      this.#log.warn({ err: error }, 'the last use of API keys could not be stored; retrying');
      // What was used since then is later.
      this.#pending = new Map([...uses, ...this.#pending]);
    }
  }
}
