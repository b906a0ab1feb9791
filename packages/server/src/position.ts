import { DomainError } from './domain-error';
import type { IdPrefix } from './ids';

/** Where a page of a list ends: the sort key of its last item. Lists run from newest to oldest. */
export interface Position {
  /** Milliseconds since 1970. */
  createdAt: number;
  id: string;
}

/** Writes a position as the opaque cursor that clients send back. */
export function writeCursor({ createdAt, id }: Position): string {
  return Buffer.from(`${createdAt}.${id}`).toString('base64url');
}

/**
 * Reads a cursor.
 *
 * @param prefix Of the ids in the list that is read: a cursor belongs to one list.
 * @throws DomainError `bad_cursor` for anything that `writeCursor` did not write for such a list.
 */
export function readCursor(cursor: string, prefix: IdPrefix): Position {
  const found = /^(\d{1,15})\.([a-z]{3}_[0-9A-Z]{26})$/.exec(
    Buffer.from(cursor, 'base64url').toString('latin1'),
  );
  const [, createdAt, id] = found ?? [];
  const position = { createdAt: Number(createdAt), id: id ?? '' };
  if (!position.id.startsWith(`${prefix}_`) || writeCursor(position) !== cursor) {
    throw new DomainError(
      'bad_cursor',
      'This cursor was not given with this list. Send nextCursor of the page before, unchanged, or none to start anew.',
    );
  }
  return position;
}

/**
 * Cuts one page from a list of which one item more than a page was read: the item too many tells
 * that there is a next page.
 */
export function cutPage<Item extends Position>(
  items: Item[],
  limit: number,
): { items: Item[]; nextCursor: string | null } {
  const page = items.slice(0, limit);
  const last = page.at(-1);
  const more = items.length > limit && last !== undefined;
  return { items: page, nextCursor: more ? writeCursor(last) : null };
}
