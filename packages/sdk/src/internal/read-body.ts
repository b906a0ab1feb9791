import type { Page } from '@tradepost/contract/wire';

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Takes a single result out of its `data` envelope; null when the body has no such envelope. */
export function readItem<Item>(body: unknown): Item | null {
  return isRecord(body) && isRecord(body.data) ? (body.data as Item) : null;
}

/**
 * Takes a page out of a list's envelope; null when the body has no such envelope. A service that
 * has only the interface answers without `nextCursor`: then there is no other page.
 */
export function readPage<Item>(body: unknown): Page<Item> | null {
  if (!isRecord(body) || !Array.isArray(body.data)) return null;
  const { nextCursor = null } = body;
  if (nextCursor !== null && typeof nextCursor !== 'string') return null;
  // No place in a list is called "": services without null write it for the end.
  return { data: body.data as Item[], nextCursor: nextCursor || null };
}

/** Takes a page out of an envelope that always says where to go on; null when it does not. */
export function readEndlessPage<Item>(body: unknown): { data: Item[]; nextCursor: string } | null {
  const page = readPage<Item>(body);
  if (page === null || page.nextCursor === null) return null;
  return { data: page.data, nextCursor: page.nextCursor };
}

/** Reads an answer that has nothing to tell; null when it is another one than that. */
export function readNothing(_: unknown, status: number): undefined | null {
  return status === 204 ? undefined : null;
}
