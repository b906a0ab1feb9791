import type { Moment } from '../moment';

/** The three kinds of account. The kind limits what an account may do. */
export const accountKinds = ['buyer', 'seller', 'agent'] as const;

/** One kind of account. */
export type AccountKind = (typeof accountKinds)[number];

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
