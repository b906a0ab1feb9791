import type { RouteMetadata } from '@tradepost/contract';
import { headerNames } from '@tradepost/contract/wire';
import { formatTimestamp } from '../kernel/context';
import { DomainError } from '../kernel/errors';
import type { ProblemInput } from '../problems';
import type { Account, ApiKey, ApiKeyWithAccount, Caller } from './account';

/**
 * Returns the API key in an `Authorization` header. Source: RFC 6750, section 2.1.
 *
 * @throws DomainError `missing_api_key`, `invalid_api_key`.
 */
export function readBearerKey(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw new DomainError(
      'missing_api_key',
      'Send the API key with every request in the header Authorization: Bearer <API_KEY>.',
    );
  }
  const [, key] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (key !== undefined) return key;
  throw new DomainError(
    'invalid_api_key',
    'The Authorization header must have the form: Bearer <API_KEY>.',
  );
}

/** Returns whether a key can be used at a time, in milliseconds since 1970. */
export function isValid({ revokedAt, expiresAt }: ApiKey, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}

function explainInvalidKey(key: ApiKeyWithAccount | null, now: number): string | null {
  if (key === null) return 'Unknown API key. Check it for missing or changed characters.';
  if (key.revokedAt !== null) return `API key ${key.prefix} was revoked. Request a new one.`;
  if (key.expiresAt !== null && !isValid(key, now)) {
    return `API key ${key.prefix} expired at ${formatTimestamp(key.expiresAt)}. Request a new one.`;
  }
  return null;
}

/**
 * Returns an API key if it is valid now.
 *
 * @throws DomainError `invalid_api_key`, with the reason, or `account_suspended`.
 */
export function requireValid(key: ApiKeyWithAccount | null, now: number): ApiKeyWithAccount {
  const reason = explainInvalidKey(key, now);
  if (key === null || reason !== null) throw new DomainError('invalid_api_key', reason ?? '');
  requireActive(key, key);
  return key;
}

/**
 * Requires that an account is not suspended.
 *
 * @throws DomainError `account_suspended`.
 */
export function requireActive(
  { suspendedAt }: Pick<Account, 'suspendedAt'>,
  { prefix }: Pick<ApiKey, 'prefix'>,
): void {
  if (suspendedAt === null) return;
  throw new DomainError(
    'account_suspended',
    `The account of API key ${prefix} has been suspended since ${formatTimestamp(suspendedAt)}. Its keys work again when the operator of the service resumes it.`,
  );
}

/** Returns the caller of a request with a key. */
export function toCaller(key: ApiKey & Pick<ApiKeyWithAccount, 'kind'>): Caller {
  const { accountId, kind, id: keyId, readOnly, isSession, expiresAt } = key;
  return { accountId, kind, keyId, readOnly, isSession, expiresAt };
}

/**
 * Requires that a key may make a request, unless any key may.
 *
 * @throws DomainError `read_only_api_key`.
 */
export function requireWriteAccess(
  { readOnly }: Pick<Caller, 'readOnly'>,
  method: string,
  { keys }: Pick<RouteMetadata, 'keys'> = {},
): void {
  if (!readOnly || keys === 'any' || method === 'GET' || method === 'HEAD') return;
  throw new DomainError(
    'read_only_api_key',
    'This API key is read-only. Use another key of the account to make changes.',
  );
}

/** Whose requests a limit counts: those of one key, or those of all keys and sessions of an account. */
export type RateLimitScope = 'key' | 'account';

const policyNames: Record<RateLimitScope, string> = { key: '"requests"', account: '"account"' };

/**
 * Returns `RateLimit-Policy`. Source: IETF draft "RateLimit header fields for HTTP", version 8.
 *
 * @param limit How many requests may be made in a window.
 * @param windowMs Milliseconds.
 * @param partition The partition key in base64: which requests share a quota.
 */
export function writeRateLimitPolicy(
  limit: number,
  windowMs: number,
  partition: string,
  scope: RateLimitScope = 'key',
): string {
  return `${policyNames[scope]}; q=${limit}; w=${windowMs / 1_000}; pk=:${partition}:`;
}

/** Returns `RateLimit`: the requests that are left, and the seconds until the window ends. */
export function writeRateLimit(
  remaining: number,
  seconds: number,
  scope: RateLimitScope = 'key',
): string {
  return `${policyNames[scope]}; r=${remaining}; t=${seconds}`;
}

/** The problem of a request beyond the limit, `seconds` before the window ends. */
export function rateLimited(
  limit: number,
  windowMs: number,
  seconds: number,
  scope: RateLimitScope = 'key',
): ProblemInput {
  const limited = scope === 'key' ? 'This API key is' : 'All keys of this account together are';
  const window = windowMs === 60_000 ? 'minute' : `${windowMs / 1_000} s`;
  return {
    code: 'rate_limited',
    detail: `${limited} limited to ${limit} requests per ${window}. Wait for the time in Retry-After, then try again.`,
    headers: { [headerNames.retryAfter]: String(seconds) },
  };
}
