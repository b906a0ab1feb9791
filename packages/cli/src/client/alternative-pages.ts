import type { Page } from '@tradepost/sdk';
import { isRejected } from './rejections';

type Pages<Item> = AsyncIterable<Page<Item>>;

interface AlternativeCase<Item> {
  /** Whether the alternative may succeed after this error. @default any rejection */
  isExpected?: (error: unknown) => boolean;
  /** Whether the first page is of no use. @default never */
  isUseless?: (first: Page<Item>) => boolean | Promise<boolean>;
}

/**
 * Reads pages, or the alternative if the service rejects the request for the first one, or if that is useless.
 *
 * @param alternative gets the useless page; undefined if there was none
 */
export async function* orElse<Item>(
  pages: Pages<Item>,
  alternative: (useless?: Page<Item>) => Pages<Item>,
  { isExpected = isRejected, isUseless = () => false }: AlternativeCase<Item> = {},
): Pages<Item> {
  const iterator = pages[Symbol.asyncIterator]();
  let first: Page<Item> | undefined;
  try {
    first = (await iterator.next()).value;
  } catch (error) {
    if (!isExpected(error)) throw error;
  }
  if (first === undefined || (await isUseless(first))) {
    yield* alternative(first);
    return;
  }
  yield first;
  yield* { [Symbol.asyncIterator]: () => iterator };
}

/** Does something once the first page has arrived. */
export async function* beforeFirst<Item>(pages: Pages<Item>, act: () => void): Pages<Item> {
  let isFirst = true;
  for await (const page of pages) {
    if (isFirst) act();
    isFirst = false;
    yield page;
  }
}
