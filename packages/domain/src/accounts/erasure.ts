import type { Account } from './account';

/** The name of an account that was erased: the other parties of its orders see it. */
export const erasedName = 'Erased account';

/** Begins to erase an account, which is suspended. Its name goes at once, and it stays suspended. May be repeated. */
export function beginErasure(account: Account, now: number): Account {
  return {
    ...account,
    name: erasedName,
    suspensionReason: null,
    suspendedAt: account.suspendedAt ?? now,
    erasedAt: account.erasedAt ?? now,
  };
}

/** What is erased of an account in steps, in this order, apart from its webhooks and their deliveries. */
export const erasedParts = [
  'notifications',
  'eventLogEntries',
  'idempotencyKeys',
  'apiKeys',
  'listings',
] as const;

/** A part of an account that is erased in steps. */
export type ErasedPart = (typeof erasedParts)[number];

/** Erases accounts. */
export interface ErasureStore {
  /**
   * Erases up to `limit` rows of a part of an account, in one short transaction. Of listings, to which orders refer, the title, the
   * threshold and the units that are left go. What a power failure undoes is erased again by the next call.
   *
   * @returns How many rows; fewer than `limit` if nothing else was left.
   */
  erase(accountId: string, part: ErasedPart, limit: number): Promise<number>;
}
