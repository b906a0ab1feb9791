import {
  type ApiKey as ApiKeyResponse,
  type CreatedApiKey,
  type CreateKey,
  maxKeysPerAccount,
} from '@tradepost/contract/wire';
import { type CommandContext, formatTimestamp } from '../kernel/context';
import { DomainError } from '../kernel/errors';
import type { ApiKey, Caller, KeyCreation } from './account';
import { isValid } from './authentication';

/** Creates what requests are authenticated with, and what the store knows it by. */
export interface Tokens {
  /**
   * Creates a text that no one can guess.
   *
   * @param prefix `tpk` of an API key, `tpc` of a sign-in code.
   */
  create(prefix: 'tpk' | 'tpc'): string;
  /** Returns what a text is stored under; in the server its SHA-256 in lowercase hex. */
  hash(text: string): string;
}

/** Returns the first characters of an API key, which help users recognize it. */
export function getKeyPrefix(text: string): string {
  return `${text.slice(0, 8)}…`;
}

/** What the new key of an account is made of. */
export interface NewKey {
  accountId: string;
  readOnly: boolean;
  /** Milliseconds since 1970; null if it does not expire. */
  expiresAt: number | null;
  /** @default null */
  name?: string | null;
  /** @default false */
  isSession?: boolean;
  /** The key that creates it; null for the operator. @default null */
  parentId?: string | null;
}

/** Creates the record of a key. */
export function createKeyRecord(
  { name = null, isSession = false, parentId = null, ...key }: NewKey,
  text: string,
  { hash }: Pick<Tokens, 'hash'>,
  context: CommandContext,
): ApiKey {
  return {
    ...key,
    name,
    isSession,
    parentId,
    id: context.newId('key'),
    hash: hash(text),
    prefix: getKeyPrefix(text),
    createdAt: context.now,
    revokedAt: null,
    lastUsedAt: null,
  };
}

/** Rejects sessions: what they created would outlast a sign-out that was meant to end it. */
export function rejectSession({ isSession }: Caller, what: string): void {
  if (!isSession) return;
  throw new DomainError(
    'session_not_allowed',
    `A session cannot create ${what}. Use an API key of the account that is no session.`,
  );
}

/**
 * Creates a key by the rights of the key of a request.
 *
 * @throws DomainError `session_not_allowed`, `invalid_api_key`, `key_limit_reached`, or `validation_failed` if it would live longer than
 *   the key that creates it.
 */
export function createKey(
  caller: Caller,
  { name, readOnly = false, expiresIn }: CreateKey,
  text: string,
  tokens: Pick<Tokens, 'hash'>,
  { maker, validCount }: KeyCreation,
  context: CommandContext,
): ApiKey {
  rejectSession(caller, 'API keys');
  if (maker === null || !isValid(maker, context.now)) {
    throw new DomainError('invalid_api_key', 'This API key was revoked or has expired meanwhile.');
  }
  if (validCount >= maxKeysPerAccount) {
    throw new DomainError(
      'key_limit_reached',
      `This account has ${validCount} valid API keys; the limit is ${maxKeysPerAccount}. Revoke one that is no longer used: GET /v1/keys shows when each was last used.`,
    );
  }
  const expiresAt = expiresIn === undefined ? maker.expiresAt : context.now + expiresIn * 1_000;
  if (maker.expiresAt !== null && expiresAt !== null && expiresAt > maker.expiresAt) {
    const message = `must not be later than the end of the key of this request, ${formatTimestamp(maker.expiresAt)}`;
    throw new DomainError('validation_failed', `The request is not valid: expiresIn ${message}.`, [
      { path: 'expiresIn', message },
    ]);
  }
  const { accountId, keyId: parentId } = caller;
  return createKeyRecord(
    { accountId, readOnly, expiresAt, name: name ?? null, parentId },
    text,
    tokens,
    context,
  );
}

/** Creates the error for a key that does not exist or belongs to another account. */
export function keyNotFound(id: string): DomainError {
  return new DomainError(
    'key_not_found',
    `No API key ${JSON.stringify(id)} belongs to this account. Check the ID (key_<id>).`,
  );
}

const formatNullable = (time: number | null) => (time === null ? null : formatTimestamp(time));

/** Converts a key to the contract's, without the key itself. */
export function toKeyResponse(key: ApiKey, caller: Caller): ApiKeyResponse {
  return {
    id: key.id,
    prefix: key.prefix,
    readOnly: key.readOnly,
    expiresAt: formatNullable(key.expiresAt),
    name: key.name,
    kind: key.isSession ? 'session' : 'key',
    createdAt: formatTimestamp(key.createdAt),
    revokedAt: formatNullable(key.revokedAt),
    lastUsedAt: formatNullable(key.lastUsedAt),
    createdBy: key.parentId,
    current: key.id === caller.keyId,
  };
}

/** Converts a new key to the contract's. */
export function toCreatedKeyResponse(key: ApiKey, text: string, caller: Caller): CreatedApiKey {
  return { ...toKeyResponse(key, caller), key: text };
}
