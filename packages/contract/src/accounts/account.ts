/** The kinds of accounts. The kind limits what an account may do. Source: API specification, "Authentication". */
export const accountKinds = ['buyer', 'seller', 'agent'] as const;

/** One kind of account. */
export type AccountKind = (typeof accountKinds)[number];

/** The non-secret properties of an API key; never the key itself. */
export interface AccountKey {
  /** `key_<id>`. Identifies the key when it is listed or revoked. */
  id: string;
  /** The first characters of the key, to recognise it by: `tpk_4fQx…`. */
  prefix: string;
  /** Whether the key allows read access only. */
  readOnly: boolean;
  /** When the key expires: ISO 8601, UTC, with milliseconds. Null when it does not expire. */
  expiresAt: string | null;
}

/** The account that an API key belongs to. */
export interface Account {
  /** `usr_<id>`. IDs sort by creation time. */
  id: string;
  /** The kind of the account, which limits what it may do. */
  kind: AccountKind;
  /** Display name. */
  name: string;
  /** When the account was created: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** The key of this request. The account may have others. */
  key: AccountKey;
}
