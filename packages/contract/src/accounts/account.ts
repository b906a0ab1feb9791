/** The three kinds of account. The kind limits what an account may do. Source: the interface, "Authentication". */
export const accountKinds = ['buyer', 'seller', 'agent'] as const;

/** One kind of account. */
export type AccountKind = (typeof accountKinds)[number];

/** What may be told of an API key: never the key itself. */
export interface AccountKey {
  /** `key_<id>`: what it is listed and revoked by. */
  id: string;
  /** Its first characters, by which people recognise it: `tpk_4fQx…`. */
  hint: string;
  /** Whether it may only read. */
  readOnly: boolean;
  /** When it stops to work: ISO 8601, UTC, with milliseconds; null when it does not expire. */
  expiresAt: string | null;
}

/** The account that an API key belongs to. */
export interface Account {
  /** `usr_<id>`. Ids sort by creation. */
  id: string;
  /** What it may do. */
  kind: AccountKind;
  /** What people call it. */
  name: string;
  /** When it was made: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** The key that the request was made with; the account may have others. */
  key: AccountKey;
}
