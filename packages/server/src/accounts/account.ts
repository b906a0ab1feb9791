import type { Account as AccountAnswer, AccountKind } from '@tradepost/contract/wire';
import { timestamp } from '../clock';
import type { Moment } from '../moment';
import type { ApiKey } from './api-key';

/** An account of the trade platform. */
export interface Account {
  /** `usr_<id>`. */
  id: string;
  kind: AccountKind;
  /** What people call it. */
  name: string;
  /** Milliseconds since 1970. */
  createdAt: number;
}

/** The account behind a request, as its API key tells. */
export interface Caller {
  accountId: string;
  kind: AccountKind;
  /** `key_<id>`: what rate limits count by. */
  keyId: string;
  /** True for a key that may only read. */
  readOnly: boolean;
}

/** A new account of a kind. */
export function createAccount(kind: AccountKind, name: string, moment: Moment): Account {
  return { id: moment.newId('usr'), kind, name, createdAt: moment.now };
}

/** An account as the contract shows it to who holds one of its keys: of the key only what may be told. */
export function presentAccount(account: Account, key: ApiKey): AccountAnswer {
  return {
    id: account.id,
    kind: account.kind,
    name: account.name,
    createdAt: timestamp(account.createdAt),
    key: {
      id: key.id,
      hint: key.hint,
      readOnly: key.readOnly,
      expiresAt: key.expiresAt === null ? null : timestamp(key.expiresAt),
    },
  };
}
