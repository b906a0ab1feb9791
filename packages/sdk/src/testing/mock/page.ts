import type { HandlerRequest } from './handler';
import { MockProblem } from './problem';

/** What a list is sorted by. */
interface Item {
  id: string;
  createdAt: string;
  updatedAt?: string;
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

/**
 * Sorts items, by default from newest to oldest, and cuts the requested page.
 *
 * @param prefix the prefix of the IDs in the list: a cursor is valid for one list and one sort only
 * @throws {MockProblem} `invalid_cursor`.
 */
export function slicePage<Record extends Item>(
  items: readonly Record[],
  { limit, query }: HandlerRequest,
  prefix: string,
): { items: Record[]; nextCursor: string | null } {
  const { sort = '-createdAt', cursor } = query;
  const direction = sort.startsWith('-') ? -1 : 1;
  // ISO 8601 in UTC sorts by time.
  const toKey = ({ createdAt, updatedAt, id }: Item) =>
    `${sort.endsWith('createdAt') ? createdAt : updatedAt} ${id}`;
  const compare = (one: string, other: string) =>
    one === other ? 0 : one < other ? -direction : direction;
  const sorted = [...items].sort((one, other) => compare(toKey(one), toKey(other)));
  const after = cursor === undefined ? null : readPageKey(cursor, prefix, sort);
  const remaining =
    after === null ? sorted : sorted.filter((item) => compare(toKey(item), after) > 0);
  const page = remaining.slice(0, limit);
  const last = page.at(-1);
  const hasMore = remaining.length > limit && last !== undefined;
  return { items: page, nextCursor: hasMore ? encodeCursor(`${sort} ${toKey(last)}`) : null };
}

function readPageKey(cursor: string, prefix: string, sort: string): string {
  const [sortOfCursor, time, id] = decodeCursor(cursor)?.split(' ') ?? [];
  if (!id?.startsWith(`${prefix}_`)) {
    throw new MockProblem(
      'invalid_cursor',
      'This cursor is not valid for this list. Send nextCursor of the previous page unchanged, or omit it to start over.',
    );
  }
  if (sortOfCursor !== sort) {
    throw new MockProblem(
      'invalid_cursor',
      'This cursor is of a list with another sort. Send the sort of the previous page too, or omit the cursor to start over.',
    );
  }
  return `${time} ${id}`;
}
