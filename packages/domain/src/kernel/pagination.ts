import { decodeBase64Url, encodeBase64Url } from './base64url';
import type { IdPrefix } from './context';
import { DomainError } from './errors';

/** The sort key of the last item on a page. Lists are sorted from newest to oldest, unless another sort is requested. */
export interface PageKey {
  /** Milliseconds since 1970. In a list that is sorted by another time, that time. */
  createdAt: number;
  id: string;
}

/**
 * Encodes a page key as the opaque cursor that clients send back.
 *
 * @param sort The sort of the list, if it is not the default one.
 */
export function encodeCursor({ createdAt, id }: PageKey, sort?: string): string {
  const prefix = sort === undefined ? '' : `${sort}:`;
  return encodeBase64Url(`${prefix}${createdAt}.${id}`);
}

/**
 * Decodes a cursor.
 *
 * @param prefix The prefix of the IDs in the list. A cursor is valid for one list only.
 * @param sort The sort of the list, if it is not the default one. A cursor is valid for one sort only.
 * @throws DomainError `invalid_cursor` for anything that `encodeCursor` did not return for such a list.
 */
export function decodeCursor(cursor: string, prefix: IdPrefix, sort?: string): PageKey {
  const match = /^(?:(-?[a-zA-Z]+):)?(\d{1,15})\.([a-z]{3}_[0-9A-Za-z]{1,64})$/.exec(
    decodeBase64Url(cursor),
  );
  const [, sortOfCursor, createdAt, id] = match ?? [];
  const key = { createdAt: Number(createdAt), id: id ?? '' };
  if (!key.id.startsWith(`${prefix}_`) || encodeCursor(key, sortOfCursor) !== cursor) {
    throw new DomainError(
      'invalid_cursor',
      'This cursor is not valid for this list. Send nextCursor of the previous page unchanged, or omit it to start over.',
    );
  }
  if (sortOfCursor !== sort) {
    throw new DomainError(
      'invalid_cursor',
      'This cursor is not valid for this sort. Send nextCursor of the previous page with the same sort, or omit it to start over.',
    );
  }
  return key;
}

/**
 * Cuts one page from a list that was read with one item more than the page holds. The extra item shows that there is a next
 * page.
 *
 * @param encode Encodes the cursor of the last item. By default, the list is sorted from newest to oldest.
 */
export function slicePage<Item extends PageKey>(
  items: Item[],
  limit: number,
  encode: (last: Item) => string = encodeCursor,
): { items: Item[]; nextCursor: string | null } {
  const page = items.slice(0, limit);
  const last = page.at(-1);
  const hasMore = items.length > limit && last !== undefined;
  return { items: page, nextCursor: hasMore ? encode(last) : null };
}
