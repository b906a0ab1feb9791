import type { AccountKind } from '@tradepost/contract/wire';
import type { Account } from './account';
import type { ApiKey } from './api-key';

/** A key together with the kind of its account: what it takes to authenticate a request. */
export interface KeyWithKind extends ApiKey {
  kind: AccountKind;
}

/** A key together with the account that holds it. */
export interface KeyHolder {
  account: Account;
  key: ApiKey;
}

/** Where accounts and their keys are kept. Each verb is one transaction. */
export interface AccountStore {
  /** Adds an account together with its first key. */
  addAccount(account: Account, firstKey: ApiKey): Promise<void>;
  /** The account with this id, or null. */
  findAccount(id: string): Promise<Account | null>;
  /** Adds a key of an existing account. */
  addKey(key: ApiKey): Promise<void>;
  /** The key whose SHA-256 this is, revoked and expired ones included, or null. */
  findKeyByHash(hash: string): Promise<KeyWithKind | null>;
  /** The account that holds the key with this id, together with that key, revoked or expired or not; or null. */
  findHolder(keyId: string): Promise<KeyHolder | null>;
  /** The keys of one account, or of all, newest first. */
  listKeys(accountId?: string): Promise<ApiKey[]>;
  /** Revokes a key for good. Answers the key as it now is, or null if there is none; the first revocation stands. */
  revokeKey(id: string, now: number): Promise<ApiKey | null>;
}
