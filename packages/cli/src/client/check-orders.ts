import type { Order, OrderListParams, OrderSort } from '@tradepost/sdk';
import { assertObject, CliError } from '../errors/cli-error';

/** The part of a query that a service without extensions may ignore. */
export type OrderQuery = Pick<
  OrderListParams,
  'status' | 'buyerId' | 'listingId' | 'createdAfter' | 'createdBefore' | 'updatedAfter' | 'sort'
>;

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
export function areSorted(orders: readonly Order[], sort: OrderSort): boolean {
  const compare = compareOrders(sort, { byId: false });
  return orders.every((order, index) => {
    const before = orders[index - 1];
    return before === undefined || compare(before, order) <= 0;
  });
}

/** @throws {CliError} `invalid_response` if orders do not have the requested sort */
export function assertSorted(orders: readonly Order[], sort: OrderSort): void {
  if (areSorted(orders, sort)) return;
  throw new CliError(
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
