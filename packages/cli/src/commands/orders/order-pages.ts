import type { Order, OrderListParams, OrderStatus, Page } from '@tradepost/sdk';
import { beforeFirst, orElse } from '../../client/alternative-pages';
import { compareOrders } from '../../client/check-orders';
import { mayRejectParameter } from '../../client/rejections';
import { assertObject } from '../../errors/cli-error';
import { maxPageSize, orderExpansions } from '../../input/options';
import { type NamedOrder, type NamesMode, placeNames } from './order-view';
import { listSorted } from './sorted-pages';

interface ExtendedList {
  /** Several cannot be in the query of every service. */
  statuses: readonly OrderStatus[];
  names: NamesMode;
  /** Called once if the service rejects the filters, when all orders are read instead. */
  onFallback: () => void;
  /** Called once if the service does not sort, when all orders are read and sorted here. */
  onSort: () => void;
}

type Pages = AsyncIterable<Page<Order>>;

/** A query with a page size. */
export type OrderPagesQuery = OrderListParams & { limit: number };

/** Requests the orders of a query page by page. */
export type LoadOrders = (query: OrderPagesQuery) => Pages;

/**
 * Lists orders with what the API specification does not have: filters, several statuses, a sort, names. Several
 * statuses and a sort work with any service. Filters and names that the service may not know and rejects are left out:
 * the caller filters the orders again, and names are not left out if an option requests them.
 *
 * @param query the rest of the query
 * @throws {CliError} `invalid_response` if the service sorted the first page as requested, and a later one not
 */
export function listWithExtensions(
  load: LoadOrders,
  query: OrderPagesQuery,
  { statuses, names, ...options }: ExtendedList,
): AsyncIterable<Page<NamedOrder>> {
  const onFallback = once(options.onFallback);
  const onSort = once(options.onSort);
  const loadNamed = (params: OrderPagesQuery): Pages => {
    if (names === 'never') return load(params);
    const named = load({ ...params, expand: orderExpansions });
    return names === 'always' ? named : orElse(named, () => load(params));
  };
  const loadFiltered = (params: OrderPagesQuery): Pages => {
    const plain = omitFilters(params);
    if (Object.keys(plain).length === Object.keys(params).length) return loadNamed(params);
    const loadPlain = () => loadNamed({ ...plain, limit: maxPageSize });
    return orElse(loadNamed(params), () => beforeFirst(loadPlain(), onFallback), {
      isExpected: mayRejectParameter,
    });
  };
  // Each list is sorted before they are merged: a merged page would hide that one of them is not.
  const loadSorted = (list: LoadOrders, params: OrderPagesQuery): Pages => {
    const { sort } = params;
    return sort === undefined ? list(params) : listSorted(list, { ...params, sort }, onSort);
  };
  const loadEach = () => statuses.map((status) => loadSorted(loadFiltered, { ...query, status }));
  const [only = null, ...others] = statuses;
  let pages: Pages;
  if (only === null) pages = loadSorted(loadFiltered, query);
  else if (others.length === 0) pages = loadSorted(loadFiltered, { ...query, status: only });
  else {
    pages = orElse(
      loadSorted(loadNamed, { ...query, status: statuses }),
      () => mergePages(loadEach(), compareOrders(query.sort), query.limit),
      // It may have looked for one status of that name.
      { isUseless: ({ data }) => data.length === 0 },
    );
  }
  return names === 'never' ? pages : placeAllNames(pages, names);
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

function omitFilters({ limit, status, sort }: OrderPagesQuery): OrderPagesQuery {
  return { limit, ...(status !== undefined && { status }), ...(sort !== undefined && { sort }) };
}

async function* placeAllNames(pages: Pages, mode: NamesMode): AsyncIterable<Page<NamedOrder>> {
  for await (const page of pages) {
    yield { ...page, data: page.data.map((order) => placeNames(order, mode)) };
  }
}

/** Merges sorted lists to one, each order once. */
async function* mergePages(
  lists: readonly Pages[],
  compare: (one: Order, other: Order) => number,
  pageSize: number,
): Pages {
  const iterators = lists.map(iterateItems);
  const heads = await Promise.all(iterators.map((items) => items.next()));
  const seen = new Set<string>();
  let data: Order[] = [];
  for (;;) {
    const left = heads.flatMap(({ done, value }, index) => (done ? [] : [{ order: value, index }]));
    const [first, ...others] = left;
    if (first === undefined) break;
    if (data.length === pageSize) {
      yield { data, nextCursor: first.order.id };
      data = [];
    }
    const next = others.reduce(
      (least, one) => (compare(one.order, least.order) < 0 ? one : least),
      first,
    );
    // An order that changes meanwhile may be in two of the lists.
    if (!seen.has(next.order.id)) data.push(next.order);
    seen.add(next.order.id);
    heads[next.index] = await (iterators[next.index] as AsyncGenerator<Order, undefined>).next();
  }
  yield { data, nextCursor: null };
}

async function* iterateItems(pages: Pages): AsyncGenerator<Order, undefined> {
  for await (const { data } of pages) {
    for (const order of data) yield assertObject(order);
  }
  return undefined;
}
