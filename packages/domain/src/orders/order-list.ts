import { type ListOrders, type OrderSort, orderQuantity, orderStatuses } from '@tradepost/contract';
import type { Caller } from '../accounts/account';
import { decodeCursor, encodeCursor, type PageKey } from '../kernel/pagination';
import type { Order } from './order';
import type { OrderFilter } from './order-store';

/** The sort of a list without `sort`. Its cursors do not name it. */
export const defaultSort: OrderSort = '-createdAt';

/** Returns the time by which a list is sorted. */
export function getSortTime(sort: OrderSort): 'createdAt' | 'updatedAt' {
  return sort.endsWith('createdAt') ? 'createdAt' : 'updatedAt';
}

/** Returns whether a list is sorted from newest to oldest. */
export function isNewestFirst(sort: OrderSort): boolean {
  return sort.startsWith('-');
}

/** Returns the sort key of an order. */
export function toPageKey(order: Order, sort: OrderSort): PageKey {
  return { createdAt: order[getSortTime(sort)], id: order.id };
}

/** Compares two orders by a sort, for `Array.sort`. Orders with the same time are sorted by their IDs. */
export function compareOrders(one: Order, other: Order, sort: OrderSort): number {
  const [first, second] = isNewestFirst(sort) ? [other, one] : [one, other];
  const byId = Number(first.id > second.id) - Number(first.id < second.id);
  return first[getSortTime(sort)] - second[getSortTime(sort)] || byId;
}

const nameInCursor = (sort: OrderSort) => (sort === defaultSort ? undefined : sort);

/** Encodes the cursor after an order. */
export function encodeOrderCursor(order: Order, sort: OrderSort): string {
  return encodeCursor(toPageKey(order, sort), nameInCursor(sort));
}

/**
 * Decodes a cursor of a list of orders.
 *
 * @throws DomainError `invalid_cursor`, also if it is of a list with another sort.
 */
export function decodeOrderCursor(cursor: string, sort: OrderSort): PageKey {
  return decodeCursor(cursor, 'ord', nameInCursor(sort));
}

/** Converts the filters of a query. */
export function toOrderFilter(query: ListOrders): OrderFilter {
  const { status, buyerId, sellerId, listingId, minQuantity, maxQuantity } = query;
  const { createdAfter, createdBefore, updatedAfter } = query;
  return {
    ...(status && { statuses: status }),
    ...(buyerId && { buyerId }),
    ...(sellerId && { sellerId }),
    ...(listingId && { listingId }),
    ...(minQuantity && { minQuantity }),
    ...(maxQuantity && { maxQuantity }),
    ...(createdAfter && { createdAfter: Date.parse(createdAfter) }),
    ...(createdBefore && { createdBefore: Date.parse(createdBefore) }),
    ...(updatedAfter && { updatedAfter: Date.parse(updatedAfter) }),
  };
}

/** Removes from a filter what excludes no order of the caller. Returns null if the filter excludes all of them. */
export function simplifyFilter(caller: Caller, filter: OrderFilter): OrderFilter | null {
  const { statuses, minQuantity = 0, maxQuantity = Infinity, ...others } = filter;
  const own = caller.kind === 'agent' ? undefined : (`${caller.kind}Id` as const);
  if (own !== undefined && (others[own] ?? caller.accountId) !== caller.accountId) return null;
  if (own !== undefined) delete others[own];
  const hasAll = statuses !== undefined && orderStatuses.every((one) => statuses.includes(one));
  return {
    ...others,
    ...(statuses && !hasAll && { statuses }),
    ...(minQuantity > orderQuantity.min && { minQuantity }),
    ...(maxQuantity < orderQuantity.max && { maxQuantity }),
  };
}

/** Returns whether a list is one whose latest time a client may continue from. The default list is not: its newest orders come first. */
export function isByTime({ createdAfter, updatedAfter }: OrderFilter, sort: OrderSort): boolean {
  return sort !== defaultSort || createdAfter !== undefined || updatedAfter !== undefined;
}

/** Returns a filter without the orders that were changed, or in a list by creation created, at a time or later. */
export function endBefore(filter: OrderFilter, sort: OrderSort, time: number): OrderFilter {
  if (filter.updatedAfter !== undefined || getSortTime(sort) === 'updatedAt') {
    return { ...filter, updatedBefore: time };
  }
  return { ...filter, createdBefore: Math.min(time, filter.createdBefore ?? time) };
}

/**
 * Returns whether a page with this filter, which is simplified, may require a search through many orders. Other pages are read at
 * once from indexes of the orders of an account by each time, and by status and time of creation.
 */
export function needsSearch(filter: OrderFilter, sort: OrderSort): boolean {
  const { statuses, createdAfter, createdBefore, updatedAfter } = filter;
  const scanned = ['buyerId', 'sellerId', 'listingId', 'minQuantity', 'maxQuantity'] as const;
  if (scanned.some((name) => filter[name] !== undefined)) return true;
  if (getSortTime(sort) === 'createdAt') return updatedAfter !== undefined;
  return statuses !== undefined || createdAfter !== undefined || createdBefore !== undefined;
}

/** Returns the sort by which the orders of a filter, which is simplified, are counted: one that needs no search, if there is one. */
export function getCountSort(filter: OrderFilter): OrderSort {
  return needsSearch(filter, defaultSort) && !needsSearch(filter, '-updatedAt')
    ? '-updatedAt'
    : defaultSort;
}
