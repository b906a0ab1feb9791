import type { Account, AccountKey } from './account';

/** The kinds of API keys: `key` is one that a program uses, `session` that of a person who signed in. */
export const keyKinds = ['key', 'session'] as const;

/** One kind of API key. */
export type KeyKind = (typeof keyKinds)[number];

/** How many valid keys an account may have, without sessions and those of the operator's commands. */
export const maxKeysPerAccount = 100;

/** How many sessions one key may have at a time. A further one ends the oldest. */
export const maxSessionsPerKey = 20;

/** How long a key may be valid that has an end, in seconds: a minute to ten years. */
export const keyLifetime = { min: 60, max: 315_360_000 } as const;

/** How long a sign-in code can be exchanged, in seconds. */
export const signInCodeLifetime = 60;

/** How long a session lasts, in seconds, unless its key ends sooner. */
export const sessionLifetime = 43_200;

/** One API key of an account; never the key itself. */
export interface ApiKey extends AccountKey {
  /** What people call it. Null when it has no name. */
  name: string | null;
  /** Whether programs use it, or a person who signed in. */
  kind: KeyKind;
  /** When it was created: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** When it was revoked, or the key of a session was: ISO 8601, UTC, with milliseconds. Null when it is not revoked. */
  revokedAt: string | null;
  /** The minute in which it was last used: ISO 8601, UTC, with milliseconds. Null when it was never used. */
  lastUsedAt: string | null;
  /** `key_<id>` of the key that created it. A session ends with it. Null when the operator created it. */
  createdBy: string | null;
  /** Whether it is the key of this request. */
  current: boolean;
}

/** A key in the response to its creation: the only one that contains the key itself. */
export interface CreatedApiKey extends ApiKey {
  /** The API key. Store it in a safe place. */
  key: string;
}

/** The key to create. */
export interface CreateKey {
  /** What people call it: 1 to 100 characters. */
  name?: string;
  /** Whether it allows read access only. */
  readOnly?: boolean;
  /** Seconds until it expires. */
  expiresIn?: number;
}

/** A code that signs a person in, once. */
export interface SignInCode {
  /** The code. It is shown once. */
  code: string;
  /** When it expires: ISO 8601, UTC, with milliseconds. */
  expiresAt: string;
}

/** The code to exchange for a session. */
export interface CreateSession {
  /** The code of a sign-in link. */
  code: string;
}

/** A session: an API key for a few hours, and the account that it belongs to. */
export interface Session {
  /** The API key of the session. */
  key: string;
  /** The account, with the other properties of the key. */
  account: Account;
}
