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
  const time = sort.replace('-', '') as 'createdAt';
  // ISO 8601 in UTC sorts by time.
  const toKey = (item: Item) => `${item[time]} ${item.id}`;
  const isAfter = (one: string, other: string) => (time === sort ? one > other : one < other);
  const after = cursor === undefined ? null : readPageKey(cursor, prefix, sort);
  const remaining = items
    .filter((item) => after === null || isAfter(toKey(item), after))
    .sort((one, other) => (isAfter(toKey(one), toKey(other)) ? 1 : -1));
  const page = remaining.slice(0, limit);
  const last = page.at(-1);
  const hasMore = remaining.length > limit && last !== undefined;
  return { items: page, nextCursor: hasMore ? encodeCursor(`${sort} ${toKey(last)}`) : null };
}

function readPageKey(cursor: string, prefix: string, sort: string): string {
  const [sortOfCursor, time, id] = decodeCursor(cursor)?.split(' ') ?? [];
  const isOfList = id?.startsWith(`${prefix}_`);
  if (isOfList && sortOfCursor === sort) return `${time} ${id}`;
  const [what, how] = isOfList ? ['sort', 'with the same sort'] : ['list', 'unchanged'];
  throw new MockProblem(
    'invalid_cursor',
    `This cursor is not valid for this ${what}. Send nextCursor of the previous page ${how}, or omit it to start over.`,
  );
}
