import type { Order, OrderListParams, OrderSort, OrderStatus, Tradepost } from '@tradepost/sdk';
import { type FilterExtra, listExtended } from '../../client/extensions';
import { orderExpansions } from '../../input/options';
import type { ListPage } from '../../output/format';
import { type NamedOrder, placeNames } from './order-view';

/** Which orders to list, and how. Names and limits as in the API. */
export interface OrderSelection {
  statuses?: readonly OrderStatus[];
  buyerId?: string;
  listingId?: string;
  createdAfter?: string;
  createdBefore?: string;
  updatedAfter?: string;
  sort?: OrderSort;
  limit: number;
  cursor?: string;
}

interface ListOptions {
  signal: AbortSignal;
  /** Whether orders have names. With an option they must have, and without one if the service has them. */
  names: { option?: string } | null;
  /** How an error calls the sort. */
  sortOption: string;
}

type OrderExtra = FilterExtra<Order, OrderListParams>;

/**
 * Lists orders with what the API specification does not have: filters, several statuses, a sort, names. Filters work with
 * any service.
 *
 * @throws {CliError} `unsupported_option` for a sort or names that the service does not have
 */
export async function* listOrders(
  orders: Tradepost['orders'],
  { statuses = [], sort, limit, cursor, ...filters }: OrderSelection,
  { signal, names, sortOption }: ListOptions,
): AsyncGenerator<ListPage<NamedOrder>> {
  const [status, ...others] = statuses;
  const hasSeveral = others.length > 0;
  const selected = { ...filters, ...(hasSeveral && { status: [...statuses] }) };
  const extras: OrderExtra[] = [];
  if (Object.values(selected).some((filter) => filter !== undefined)) {
    const isWanted = createFilter(selected);
    extras.push({ extension: 'orders.filters', parameters: selected, isWanted });
  }
  if (sort !== undefined) {
    extras.push({ extension: 'orders.sort', parameters: { sort }, option: sortOption });
  }
  if (names !== null) {
    extras.push({ extension: 'orders.expand', parameters: { expand: orderExpansions }, ...names });
  }
  const pages = listExtended<Order, OrderListParams>({
    list: (query) => orders.list(query, { signal }),
    query: {
      ...(status !== undefined && !hasSeveral && { status }),
      ...(cursor !== undefined && { cursor }),
    },
    extras,
    limit,
  });
  for await (const page of pages) yield { ...page, data: page.data.map(placeNames) };
}

/** Creates the filter of a query. */
function createFilter({
  status,
  buyerId,
  listingId,
  createdAfter,
  createdBefore,
  updatedAfter,
}: OrderListParams): (order: Order) => boolean {
  const isAfter = (time: string, limit: string | Date | undefined) =>
    limit === undefined || Date.parse(time) > new Date(limit).getTime();
  const isBefore = (time: string, limit: string | Date | undefined) =>
    limit === undefined || Date.parse(time) < new Date(limit).getTime();
  return (order) =>
    (typeof status !== 'object' || status.some((one) => one === order.status)) &&
    (buyerId === undefined || order.buyerId === buyerId) &&
    (listingId === undefined || order.listingId === listingId) &&
    isAfter(order.createdAt, createdAfter) &&
    isBefore(order.createdAt, createdBefore) &&
    isAfter(order.updatedAt, updatedAfter);
}
