import { sessionLifetime, signInCodeLifetime } from '@tradepost/contract/wire';
import type { AuditEntry } from '../audit/audit-log';
import type { CommandContext } from '../kernel/context';
import { DomainError } from '../kernel/errors';
import type { ApiKey, ApiKeyOwner, Caller } from './account';
import { auditKey, toAuditActor } from './account-audit';
import { isValid, requireActive } from './authentication';
import { createKeyRecord, type Tokens } from './key';

/** The stored part of a sign-in code. The server never stores the code itself. */
export interface SignInCode {
  /** What the code is found by, as `ApiKey.hash`. */
  hash: string;
  /** The key that created it. */
  keyId: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** How many codes of one key may be open. They are used within a minute, so more are a mistake. */
export const maxOpenCodes = 5;

/** Stores sign-in codes. Each method is one transaction. */
export interface SignInStore {
  /** Adds a code. Of its key, only the newest `maxOpenCodes` stay. */
  addCode(code: SignInCode): Promise<void>;
  /**
   * Removes a code, and adds the session that it is exchanged for. Of any number of calls with one code, exactly one gets a session. Of
   * the sessions of its key, only the newest `maxSessionsPerKey` stay valid.
   *
   * @param now Milliseconds since 1970.
   * @param createSession Returns the session of the key that created the code, and its entry of the audit log, or throws to reject it. May be called again.
   * @returns The session and its account; null if there is no such code, or it has expired.
   */
  exchangeCode(
    hash: string,
    now: number,
    createSession: (maker: ApiKeyOwner) => { session: ApiKey; audit: AuditEntry },
  ): Promise<ApiKeyOwner | null>;
}

/** Creates a sign-in code. It does not live longer than its key. */
export function createSignInCode(
  { keyId, expiresAt }: Caller,
  text: string,
  { hash }: Pick<Tokens, 'hash'>,
  { now }: CommandContext,
): SignInCode {
  const end = now + signInCodeLifetime * 1_000;
  return {
    hash: hash(text),
    keyId,
    createdAt: now,
    expiresAt: Math.min(end, expiresAt ?? end),
  };
}

/**
 * Creates the session of a key: with its rights, and no longer than it.
 *
 * @throws DomainError `invalid_sign_in_code` if the key is no longer valid, `account_suspended`.
 */
export function createSession(
  { account, key }: ApiKeyOwner,
  text: string,
  tokens: Pick<Tokens, 'hash'>,
  context: CommandContext,
): { session: ApiKey; audit: AuditEntry } {
  if (!isValid(key, context.now)) throw invalidSignInCode();
  requireActive(account, key);
  const end = context.now + sessionLifetime * 1_000;
  const settings = {
    accountId: account.id,
    readOnly: key.readOnly,
    expiresAt: Math.min(end, key.expiresAt ?? end),
    isSession: true,
    parentId: key.id,
  };
  const session = createKeyRecord(settings, text, tokens, context);
  const actor = toAuditActor({ keyId: key.id });
  return { session, audit: auditKey(actor, 'key.created', session, context) };
}

/** Creates the error for a code that is unknown, used or expired: one for all, so that it says nothing about codes of others. */
export function invalidSignInCode(): DomainError {
  return new DomainError(
    'invalid_sign_in_code',
    `This sign-in code is not valid: it works once, within ${signInCodeLifetime} seconds. Get a new link with: tradepost open`,
  );
}
