import type {
  Order,
  OrderListParams,
  OrderSort,
  OrderStatus,
  Page,
  Tradepost,
} from '@tradepost/sdk';
import { assertObject, CliError } from '../../errors/cli-error';
import { orderExpansions } from '../../input/order-choices';
import { filterPages } from '../../output/format';
import { isRejected, type NamedOrder, type NamesMode, placeNames } from './names';

/** Which orders to list. Times are ISO 8601, UTC. */
export interface OrderSelection {
  status?: readonly OrderStatus[];
  buyer?: string;
  listing?: string;
  /** Created at or after it. */
  since?: string;
  /** Created before it. */
  until?: string;
  /** Last changed at or after it. */
  updatedSince?: string;
  sort?: OrderSort;
}

interface Listing {
  limit: number;
  names: NamesMode;
  signal: AbortSignal;
}

type Pages = AsyncIterable<Page<Order>>;

/**
 * Lists orders page by page. Of the selection, the API specification has only one status: what a service does
 * not know is done here.
 *
 * @throws {CliError} `invalid_response` if the service did not sort them as requested
 */
export function listOrderPages(
  { orders }: Pick<Tradepost, 'orders'>,
  selection: OrderSelection,
  { limit, names, signal }: Listing,
): AsyncIterable<Page<NamedOrder>> {
  const { status: statuses = [], sort } = selection;
  const load = (query: OrderListParams): Pages => orders.list(query, { signal }).pages();
  const loadNamed = (query: OrderListParams): Pages => {
    if (names === 'never') return load(query);
    const named = load({ ...query, expand: orderExpansions });
    return names === 'always' ? named : orElse(named, () => load(query));
  };
  const query = buildQuery(selection, limit);
  const [only, ...others] = statuses;
  const pages =
    only === undefined || others.length === 0
      ? loadNamed({ ...query, ...(only && { status: only }) })
      : orElse(
          loadNamed({ ...query, status: statuses }),
          () =>
            mergePages(
              statuses.map((status) => loadNamed({ ...query, status })),
              orderSort(sort),
              limit,
            ),
          // It may have looked for one status of that name.
          ({ data }) => data.length === 0,
        );
  return preparePages(filterPages(pages, buildFilter(selection)), sort, names);
}

function buildQuery(selection: OrderSelection, limit: number): OrderListParams {
  const { buyer, listing, since, until, updatedSince, sort } = selection;
  return {
    limit,
    ...(buyer !== undefined && { buyerId: buyer }),
    ...(listing !== undefined && { listingId: listing }),
    // The times after which orders are listed are excluded themselves.
    ...(since !== undefined && { createdAfter: justBefore(since) }),
    ...(until !== undefined && { createdBefore: until }),
    ...(updatedSince !== undefined && { updatedAfter: justBefore(updatedSince) }),
    ...(sort !== undefined && { sort }),
  };
}

function justBefore(time: string): string {
  return new Date(Date.parse(time) - 1).toISOString();
}

function buildFilter(selection: OrderSelection): (order: Order) => boolean {
  const { status = [], buyer, listing, since, until, updatedSince } = selection;
  const isAtOrAfter = (time: string, from: string | undefined) =>
    from === undefined || Date.parse(time) >= Date.parse(from);
  return (order) =>
    // A service may have statuses of its own: it decides for a single one.
    (status.length < 2 || status.some((one) => one === order.status)) &&
    (buyer === undefined || order.buyerId === buyer) &&
    (listing === undefined || order.listingId === listing) &&
    isAtOrAfter(order.createdAt, since) &&
    (until === undefined || !isAtOrAfter(order.createdAt, until)) &&
    isAtOrAfter(order.updatedAt, updatedSince);
}

async function* preparePages(
  pages: Pages,
  sort: OrderSort | undefined,
  names: NamesMode,
): AsyncIterable<Page<NamedOrder>> {
  for await (const page of pages) {
    if (sort !== undefined) assertSorted(page.data, sort);
    yield names === 'never' ? page : { ...page, data: page.data.map(placeNames) };
  }
}

/** @throws {CliError} `invalid_response` */
function assertSorted(orders: readonly Order[], sort: OrderSort): void {
  const compare = orderSort(sort, { byId: false });
  const isSorted = orders.every((order, index) => {
    const before = orders[index - 1];
    return before === undefined || compare(before, order) <= 0;
  });
  if (isSorted) return;
  throw new CliError(
    'invalid_response',
    `The service did not sort the orders by ${sort.replace('-', '')}`,
    'Sorting is an extension of the API that this service may not have: omit --sort.',
  );
}

/** Creates the comparison of a sort. */
function orderSort(sort: OrderSort = '-createdAt', { byId = true } = {}) {
  const field = sort.replace('-', '') as 'createdAt' | 'updatedAt';
  const direction = sort.startsWith('-') ? -1 : 1;
  return (one: Order, other: Order): number => {
    const time = Date.parse(one[field]) - Date.parse(other[field]);
    const id = byId ? Number(one.id > other.id) - Number(one.id < other.id) : 0;
    return (time || id) * direction;
  };
}

/** Reads pages, or the alternative if the service rejects the request for the first one, or if that is useless. */
async function* orElse(
  pages: Pages,
  alternative: () => Pages,
  isUseless: (first: Page<Order>) => boolean = () => false,
): Pages {
  const iterator = pages[Symbol.asyncIterator]();
  let first: Page<Order> | undefined;
  try {
    first = (await iterator.next()).value;
  } catch (error) {
    if (!isRejected(error)) throw error;
  }
  if (first === undefined || isUseless(first)) {
    yield* alternative();
    return;
  }
  yield first;
  yield* { [Symbol.asyncIterator]: () => iterator };
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
