import type { Page } from '@tradepost/contract/wire';

/** Whether a JSON value is an object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a single result from its `data` envelope. Null when the body has no such envelope. */
export function readItem<Item>(body: unknown): Item | null {
  return isRecord(body) && isRecord(body.data) ? (body.data as Item) : null;
}

/**
 * Reads a page from the envelope of a list. Null when the body has no such envelope. A service without
 * extensions sends no `nextCursor`: then there is one page.
 */
export function readPage<Item>(body: unknown): Page<Item> | null {
  if (!isRecord(body) || !Array.isArray(body.data)) return null;
  const { nextCursor = null } = body;
  if (nextCursor !== null && typeof nextCursor !== 'string') return null;
  // Some services send "" instead of null at the end of a list.
  return { data: body.data as Item[], nextCursor: nextCursor || null };
}

/** Reads a page that always has a next cursor. Null when it has none. */
export function readEndlessPage<Item>(body: unknown): { data: Item[]; nextCursor: string } | null {
  const page = readPage<Item>(body);
  if (page === null || page.nextCursor === null) return null;
  return { data: page.data, nextCursor: page.nextCursor };
}

/** Reads a response whose body does not matter. Null when it is not of the service: neither empty nor JSON. */
export function readNothing(body: unknown): undefined | null {
  return body === undefined ? null : undefined;
}

/** How many characters of a body an error keeps. */
const maxBodyLength = 16_384;

/**
 * Returns what an error keeps of a body: its JSON; or the start of its text, if it has no JSON or is long.
 *
 * @param json undefined when the text is not JSON
 */
export function limitBody(json: unknown, text: string = JSON.stringify(json)): unknown {
  const isKept = json !== undefined && text !== '' && text.length <= maxBodyLength;
  return isKept ? json : text.slice(0, maxBodyLength);
}
