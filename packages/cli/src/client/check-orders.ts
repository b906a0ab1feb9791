import type { Order, OrderExpansions, OrderListParams, OrderSort, Page } from '@tradepost/sdk';
import { assertObject, CliError } from '../errors/cli-error';

/** The part of a query that a service without extensions may ignore. */
export type OrderQuery = Pick<
  OrderListParams,
  'status' | 'buyerId' | 'listingId' | 'createdAfter' | 'createdBefore' | 'updatedAfter' | 'sort'
>;

export const omitNamesHint =
  'Names are extensions of the API that this service may not have: omit them.';

/** @throws {CliError} `invalid_response` for an order without names, although they were requested */
export function assertNamed({ buyer }: Order & Partial<OrderExpansions>): void {
  if (buyer !== undefined) return;
  throw new CliError(
    'invalid_response',
    'The service returned an order without names',
    omitNamesHint,
  );
}

/** Creates the comparison of a sort. */
export function compareOrders(sort: OrderSort = '-createdAt', { byId = true } = {}) {
  const field = sort.replace('-', '') as 'createdAt' | 'updatedAt';
  const direction = sort.startsWith('-') ? -1 : 1;
  return (one: Order, other: Order): number => {
    const time = Date.parse(one[field]) - Date.parse(other[field]);
    const id = byId ? Number(one.id > other.id) - Number(one.id < other.id) : 0;
    return (time || id) * direction;
  };
}

/** Whether orders have a sort. Those of the same time may have any order. */
function areSorted(orders: readonly Order[], sort: OrderSort): boolean {
  const compare = compareOrders(sort, { byId: false });
  return orders.every((order, index) => {
    const before = orders[index - 1];
    return assertObject(order) && (before === undefined || compare(before, order) <= 0);
  });
}

/** Whether the first page of a list is the only one. A service without cursors may cut the list at the limit all the same. */
export function isWholeList({ data, nextCursor }: Page<Order>, limit: number): boolean {
  return nextCursor === null && data.length !== limit;
}

/**
 * Whether the first page of a list shows that the service ignores the sort, or may ignore it. The page may have the
 * sort by chance. Then the other end of the list decides, which begins with an order that belongs after those of the page.
 *
 * @param readEnd requests the first orders of the list in the reverse sort
 */
export async function isSortIgnored(
  page: Page<Order>,
  { sort, limit }: { sort: OrderSort; limit: number },
  readEnd: (reverse: OrderSort) => Promise<readonly Order[]>,
): Promise<boolean> {
  const { data } = page;
  if (!areSorted(data, sort)) return true;
  if (isWholeList(page, limit)) return false;
  const reverse = sort.startsWith('-') ? sort.slice(1) : `-${sort}`;
  const [end] = await readEnd(reverse as OrderSort);
  if (end === undefined) return false;
  return end.id === data[0]?.id || !areSorted([...data.slice(-1), end], sort);
}

/** @throws {CliError} `invalid_response` if orders do not have the requested sort */
export function assertSorted(orders: readonly Order[], sort: OrderSort): void {
  if (!areSorted(orders, sort)) throw ignoredSortError(sort);
}

export function ignoredSortError(sort: OrderSort): CliError {
  return new CliError(
    'invalid_response',
    `The service did not sort the orders by ${sort.replace('-', '')}`,
    'Sorting is an extension of the API that this service may not have: omit the sort.',
  );
}

/** @throws {CliError} `invalid_response` if a service returned other orders than the requested ones */
export function assertSelected(orders: readonly Order[], query: OrderQuery): void {
  const { status, buyerId, listingId, createdAfter, createdBefore, updatedAfter, sort } = query;
  const isAfter = (time: string, limit: string | Date | undefined) =>
    limit === undefined || Date.parse(time) > new Date(limit).getTime();
  for (const order of orders) {
    assertObject(order);
    const ignored = Object.entries({
      // A service may have statuses of its own: it decides for a single one.
      status: typeof status !== 'object' || status.some((one) => one === order.status),
      buyerId: buyerId === undefined || order.buyerId === buyerId,
      listingId: listingId === undefined || order.listingId === listingId,
      createdAfter: isAfter(order.createdAt, createdAfter),
      createdBefore:
        createdBefore === undefined ||
        Date.parse(order.createdAt) < new Date(createdBefore).getTime(),
      updatedAfter: isAfter(order.updatedAt, updatedAfter),
    }).find(([, isKept]) => !isKept);
    if (ignored === undefined) continue;
    throw new CliError(
      'invalid_response',
      `The service ignored the filter ${ignored[0]}`,
      'This filter is an extension of the API that this service may not have: omit it.',
    );
  }
  if (sort !== undefined) assertSorted(orders, sort);
}
