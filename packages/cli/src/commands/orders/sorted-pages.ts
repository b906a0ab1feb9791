import type { OrderListParams, OrderSort, Page } from '@tradepost/sdk';
import { beforeFirst, orElse } from '../../client/alternative-pages';
import { areSorted, assertSorted, compareOrders } from '../../client/check-orders';
import { mayRejectParameter } from '../../client/rejections';
import { assertObject } from '../../errors/cli-error';
import { maxPageSize } from '../../input/options';
import type { NamedOrder } from './order-view';

type Pages = AsyncIterable<Page<NamedOrder>>;

type Query = OrderListParams & { limit: number };

type SortedQuery = Query & { sort: OrderSort };

/**
 * Lists orders in a sort that the service may not have. If it rejects or ignores it, all orders are read and sorted
 * here.
 *
 * @param list requests the orders of a query, as the service sorts them
 * @param onSort called before orders are sorted here
 * @throws {CliError} `invalid_response` if the service sorts the first page, and a later one not
 */
export function listSorted(
  list: (query: Query) => Pages,
  { sort, ...unsorted }: SortedQuery,
  onSort: () => void,
): Pages {
  const isIgnored = async ({ data, nextCursor }: Page<NamedOrder>) => {
    if (!areSorted(data, sort)) return true;
    if (nextCursor === null) return false;
    // It may have the sort by chance. The other end of the list begins with an order that belongs after it.
    const reverse = sort.startsWith('-') ? sort.slice(1) : `-${sort}`;
    const [end] = await readFirst(list({ ...unsorted, sort: reverse as OrderSort, limit: 2 }));
    const isSame = end?.id === data[0]?.id;
    return isSame || (end !== undefined && !areSorted([...data.slice(-1), end], sort));
  };
  const sortHere = () => {
    const all = list({ ...unsorted, limit: maxPageSize });
    return sortPages(beforeFirst(all, onSort), sort);
  };
  const pages = list({ ...unsorted, sort });
  return assertPagesSorted(
    orElse(pages, sortHere, { isExpected: mayRejectParameter, isUseless: isIgnored }),
    sort,
  );
}

async function readFirst(pages: Pages): Promise<readonly NamedOrder[]> {
  for await (const { data } of pages) return data;
  return [];
}

/** @throws {CliError} `invalid_response` before a page that is not sorted, also from page to page */
async function* assertPagesSorted(pages: Pages, sort: OrderSort): Pages {
  let last: NamedOrder[] = [];
  for await (const page of pages) {
    assertSorted([...last, ...page.data], sort);
    last = page.data.slice(-1);
    yield page;
  }
}

/** Reads all pages, and returns their orders as one. */
async function* sortPages(pages: Pages, sort: OrderSort): Pages {
  const all: NamedOrder[] = [];
  for await (const { data } of pages) all.push(...data.map((order) => assertObject(order)));
  yield { data: all.sort(compareOrders(sort)), nextCursor: null };
}
