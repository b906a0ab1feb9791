import type { AccountKind } from '../accounts/account';

/** How long the part of a name is by which partners are searched, in characters. */
export const partnerName = { min: 1, max: 100 } as const;

/** An account with which the account has traded: another party of one of its orders. */
export interface Partner {
  /** `usr_<id>`. IDs sort by creation time. */
  id: string;
  /** The kind of the account: a buyer buys, a seller sells, an agent acts for a seller. */
  kind: AccountKind;
  /** Display name. */
  name: string;
}

/** Query of `GET /v1/partners`. */
export interface ListPartners {
  /** Only partners whose name contains this text, whatever the case and the accents of its letters. */
  name?: string;
  /** Maximum number of partners per page: 1 to 100. @default 50 */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
}
