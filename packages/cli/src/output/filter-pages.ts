import type { Page } from '@tradepost/sdk';
import { checkRecord } from '../check-record';

/**
 * The pages with those items alone that are meant: for a filter that the interface does not have. A
 * service that knows no more than it ignores the parameter.
 */
export async function* filterPages<Item, OnePage extends Page<Item>>(
  pages: AsyncIterable<OnePage>,
  isMeant: (item: Item) => boolean,
): AsyncIterable<OnePage> {
  for await (const page of pages)
    yield { ...page, data: page.data.filter((item) => isMeant(checkRecord(item))) };
}
