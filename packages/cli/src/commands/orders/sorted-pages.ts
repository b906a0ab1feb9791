import type { Order, OrderListParams, OrderSort, Page } from '@tradepost/sdk';
import { beforeFirst, orElse } from '../../client/alternative-pages';
import { assertSorted, compareOrders, isSortIgnored, isWholeList } from '../../client/check-orders';
import { mayRejectParameter } from '../../client/rejections';
import { assertObject } from '../../errors/cli-error';
import { maxPageSize } from '../../input/options';

type Pages = AsyncIterable<Page<Order>>;

type Query = OrderListParams & { limit: number };

type SortedQuery = Query & { sort: OrderSort };

/**
 * Lists orders in a sort that the service may not have. If it rejects or ignores it, all orders are read and sorted
 * here.
 *
 * @param list requests the orders of a query, as the service sorts them
 * @param onSort called before all orders are read
 * @throws {CliError} `invalid_response` if the service sorts the first page, and a later one not
 */
export function listSorted(
  list: (query: Query) => Pages,
  { sort, ...unsorted }: SortedQuery,
  onSort: () => void,
): Pages {
  const readEnd = (reverse: OrderSort) => readFirst(list({ ...unsorted, sort: reverse, limit: 2 }));
  const sortHere = (first?: Page<Order>) => {
    if (first && isWholeList(first, unsorted.limit)) return sortPages([first], sort);
    return sortPages(beforeFirst(list({ ...unsorted, limit: maxPageSize }), onSort), sort);
  };
  const pages = orElse(list({ ...unsorted, sort }), sortHere, {
    isExpected: mayRejectParameter,
    isUseless: (first) => isSortIgnored(first, { sort, limit: unsorted.limit }, readEnd),
  });
  return assertPagesSorted(pages, sort);
}

async function readFirst(pages: Pages): Promise<readonly Order[]> {
  for await (const { data } of pages) return data;
  return [];
}

/** @throws {CliError} `invalid_response` before a page that is not sorted, also from page to page */
async function* assertPagesSorted(pages: Pages, sort: OrderSort): Pages {
  let last: Order[] = [];
  for await (const page of pages) {
    assertSorted([...last, ...page.data], sort);
    last = page.data.slice(-1);
    yield page;
  }
}

/** Reads all pages, and returns their orders as one. */
async function* sortPages(pages: Pages | Iterable<Page<Order>>, sort: OrderSort): Pages {
  const all: Order[] = [];
  for await (const { data } of pages) {
    for (const order of data) all.push(assertObject(order));
  }
  yield { data: all.sort(compareOrders(sort)), nextCursor: null };
}
