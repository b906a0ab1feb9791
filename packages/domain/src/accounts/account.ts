import type { AccountKind, Account as AccountResponse } from '@tradepost/contract/wire';
import type { AuditEntry } from '../audit/audit-log';
import { type CommandContext, formatTimestamp } from '../kernel/context';
import type { IdempotencyKey, IdempotentResult, StoredResponse } from '../kernel/idempotency';
import type { PageKey } from '../kernel/pagination';
import { type AccountLimits, defaultLimits } from './limits';
import { type AccountRetention, defaultAccountRetention } from './retention';

/** An account of the trade platform. */
export interface Account extends AccountLimits, AccountRetention {
  /** `usr_<id>`. */
  id: string;
  kind: AccountKind;
  /** The display name. */
  name: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Since when its keys are refused and its deliveries held, in milliseconds since 1970; null if it is not suspended. */
  suspendedAt: number | null;
  /** Why it is suspended, as the operator wrote it; null if that is not known. Clients do not see it. */
  suspensionReason: string | null;
  /** When an operator began to erase it, in milliseconds since 1970. It stays suspended. */
  erasedAt: number | null;
}

/** The stored part of an API key. The server never stores the key itself. */
export interface ApiKey {
  /** `key_<id>`. Used to list and revoke the key. */
  id: string;
  accountId: string;
  /** What the key is found by; in the server its SHA-256 in lowercase hex. */
  hash: string;
  /** The first characters of the key, such as `tpk_4fQx…`, which help users recognize it. */
  prefix: string;
  readOnly: boolean;
  /** What people call it; null if it has no name. */
  name: string | null;
  /** Whether it is the key of a session: of a person who signed in. */
  isSession: boolean;
  /** The key that created it; null if the operator did. A session is valid as long as that key is. */
  parentId: string | null;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Milliseconds since 1970; null if the key does not expire. */
  expiresAt: number | null;
  /** When it was revoked, or the key of a session was, in milliseconds since 1970; null if it is not revoked. */
  revokedAt: number | null;
  /** The minute of its last use, in milliseconds since 1970; null if it was never used. Known to the store a minute late. */
  lastUsedAt: number | null;
}

/** The account that sent a request, according to its API key. */
export interface Caller {
  accountId: string;
  kind: AccountKind;
  /** `key_<id>`. Rate limits count requests by it. */
  keyId: string;
  /** True for a read-only key. */
  readOnly: boolean;
  /** Whether the key is that of a session. */
  isSession: boolean;
  /** When the key expires, in milliseconds since 1970; null if it does not. */
  expiresAt: number | null;
}

/** Creates an account. */
export function createAccount(kind: AccountKind, name: string, context: CommandContext): Account {
  return {
    id: context.newId('usr'),
    kind,
    name,
    createdAt: context.now,
    suspendedAt: null,
    suspensionReason: null,
    erasedAt: null,
    ...defaultLimits,
    ...defaultAccountRetention,
  };
}

/** Converts an account and the key that was used to the contract's account. */
export function toAccountResponse(account: Account, key: ApiKey): AccountResponse {
  return {
    id: account.id,
    kind: account.kind,
    name: account.name,
    createdAt: formatTimestamp(account.createdAt),
    key: {
      id: key.id,
      prefix: key.prefix,
      readOnly: key.readOnly,
      expiresAt: key.expiresAt === null ? null : formatTimestamp(key.expiresAt),
    },
  };
}

/** A key with the kind and the state of its account: what authentication needs. */
export interface ApiKeyWithAccount extends ApiKey, Pick<AccountLimits, 'requestsPerMinute'> {
  kind: AccountKind;
  /** Since when its account is suspended, in milliseconds since 1970; null if it is not. */
  suspendedAt: number | null;
}

/** A key and the account that it belongs to. */
export interface ApiKeyOwner {
  account: Account;
  key: ApiKey;
}

/** What decides about a new key, as the store has it in the transaction that adds it. */
export interface KeyCreation {
  /** The key of the request; null if it was removed. */
  maker: ApiKey | null;
  /** How many valid keys the account has, without sessions. */
  validCount: number;
}

/** Stores accounts and their keys. Each method is one transaction. */
export interface AccountStore {
  /** Adds an account and its first key. */
  addAccount(account: Account, firstKey: ApiKey, audit?: readonly AuditEntry[]): Promise<void>;
  /** Returns the account with this ID, or null. */
  findAccount(id: string): Promise<Account | null>;
  /** Lists all accounts, newest first. */
  listAccounts(): Promise<Account[]>;
  /**
   * Changes the state of an account. While it is suspended, the queues of its webhooks are held like those of paused ones. When it
   * is resumed, those of active webhooks continue, and their backoff ends. `decide` must be pure, may be called again, and throws to
   * reject.
   */
  changeAccount(
    request: { id: string; context: CommandContext },
    decide: (found: Account | null) => { account: Account; audit: AuditEntry | null },
  ): Promise<Account>;
  /** Adds a key to an existing account: for the operator. */
  addKey(key: ApiKey, audit?: AuditEntry): Promise<void>;
  /**
   * Adds a key that the caller creates. `decide` must be pure, may be called again, and throws to reject. If the idempotency key has a
   * stored response, returns that and does not call `decide`.
   */
  createKey<Response extends StoredResponse>(
    request: { caller: Caller; idempotencyKey: IdempotencyKey | null; context: CommandContext },
    decide: (creation: KeyCreation) => { key: ApiKey; response: Response; audit?: AuditEntry },
  ): Promise<IdempotentResult<Response>>;
  /** Returns the key with this SHA-256, even if it is revoked or expired, or null. */
  findKeyByHash(hash: string): Promise<ApiKeyWithAccount | null>;
  /** Returns the key with this ID, even if it is revoked or expired, and its account; or null. */
  findKeyOwner(keyId: string): Promise<ApiKeyOwner | null>;
  /** Lists the keys of one account, or of all accounts, newest first. */
  listKeys(accountId?: string): Promise<ApiKey[]>;
  /** Lists the keys of an account after `after`, newest first, up to `limit`. */
  listKeyPage(accountId: string, page: { after: PageKey | null; limit: number }): Promise<ApiKey[]>;
  /**
   * Records when keys were last used. An earlier time than the stored one changes nothing, so processes may record in any
   * order. A power failure may undo it.
   *
   * @param uses Milliseconds since 1970, by key ID.
   */
  recordKeyUses(uses: ReadonlyMap<string, number>): Promise<void>;
  /**
   * Revokes a key permanently. Returns the key, or null if there is none. One that is revoked, or a session that ended with its key,
   * keeps the first revocation time.
   *
   * @param audit Returns the entry of the audit log. Called if the key was not revoked before.
   */
  revokeKey(id: string, now: number, audit?: (key: ApiKey) => AuditEntry): Promise<ApiKey | null>;
}
