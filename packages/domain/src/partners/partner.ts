import type { Account } from '../accounts/account';
import type { PageKey } from '../kernel/pagination';
import { type Order, orderParticipants } from '../orders/order';

/** Two accounts that have traded with each other. There is one for either of them. */
export interface Partnership {
  accountId: string;
  partnerId: string;
}

/** Returns the partnerships of an order's accounts: each of them trades with each other one. */
export function listPartnerships(order: Order): Partnership[] {
  const ids = orderParticipants(order).filter((id) => id !== null);
  return ids.flatMap((accountId) =>
    ids.filter((id) => id !== accountId).map((partnerId) => ({ accountId, partnerId })),
  );
}

/** Makes names that differ in the case or the accents of their letters equal: `Cafe`, `CAFÉ`. Unicode, whatever the locale. */
function foldName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toUpperCase();
}

/** Returns a function that returns whether a name contains a text, whatever the case and the accents of its letters. */
export function createNameMatcher(text: string): (account: Pick<Account, 'name'>) => boolean {
  // A text of accents only is found as it is: without them, it would be in each name.
  const fold = foldName(text) === '' ? (name: string) => name.normalize('NFKD') : foldName;
  const folded = fold(text);
  return ({ name }) => fold(name).includes(folded);
}

/** Stores with whom each account has traded. An order adds it when it is placed. */
export interface PartnerStore {
  /**
   * Lists the accounts with which an account has traded, newest first, after `after`, up to `limit`.
   *
   * @param name Only those whose name contains it, which needs a search.
   * @param signal Cancels the search.
   * @throws DomainError `rate_limited` if the account has too many searches.
   */
  listPartners(
    accountId: string,
    name: string | undefined,
    page: { after: PageKey | null; limit: number },
    signal?: AbortSignal,
  ): Promise<Account[]>;
}
