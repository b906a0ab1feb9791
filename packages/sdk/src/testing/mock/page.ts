import type { HandlerRequest } from './handler';
import { MockProblem } from './problem';

/** What a list is sorted by. */
interface Item {
  id: string;
  createdAt: string;
}

/** Encodes a text as an opaque cursor. */
export function encodeCursor(text: string): string {
  return btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

/** Decodes a cursor. Null for anything that `encodeCursor` did not return. */
export function decodeCursor(cursor: string): string | null {
  try {
    const text = atob(cursor.replace(/-/g, '+').replace(/_/g, '/'));
    return encodeCursor(text) === cursor ? text : null;
  } catch {
    return null;
  }
}

/** Newest first. */
function compareItems(one: Item, other: Item): number {
  const [first, second] = [toKey(one), toKey(other)];
  return first < second ? 1 : first > second ? -1 : 0;
}

/** ISO 8601 in UTC sorts by time. */
function toKey({ createdAt, id }: Item): string {
  return `${createdAt} ${id}`;
}

/**
 * Sorts items from newest to oldest, and cuts the requested page.
 *
 * @param prefix the prefix of the IDs in the list: a cursor is valid for one list only
 * @throws {MockProblem} `invalid_cursor`.
 */
export function slicePage<Record extends Item>(
  items: readonly Record[],
  { limit, query }: HandlerRequest,
  prefix: string,
): { items: Record[]; nextCursor: string | null } {
  const sorted = [...items].sort(compareItems);
  const after = query.cursor === undefined ? null : readPageKey(query.cursor, prefix);
  const remaining = after === null ? sorted : sorted.filter((item) => toKey(item) < after);
  const page = remaining.slice(0, limit);
  const last = page.at(-1);
  const hasMore = remaining.length > limit && last !== undefined;
  return { items: page, nextCursor: hasMore ? encodeCursor(toKey(last)) : null };
}

function readPageKey(cursor: string, prefix: string): string {
  const key = decodeCursor(cursor);
  if (key?.split(' ')[1]?.startsWith(`${prefix}_`)) return key;
  throw new MockProblem(
    'invalid_cursor',
    'This cursor is not valid for this list. Send nextCursor of the previous page unchanged, or omit it to start over.',
  );
}
