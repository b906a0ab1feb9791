import type {
  AccountEvent,
  Delivery,
  GetOrderOptions,
  Order,
  OrderExpansions,
  Tradepost,
} from '@tradepost/sdk';
import { type Extra, requireExtension, sendExtended } from '../../../client/extensions';
import { maxPageSize, orderExpansions } from '../../../input/options';
import { type NamedOrder, placeNames } from '../order-view';
import { fetchHistory } from './order-history';

export interface OrderRecord extends NamedOrder {
  history?: readonly AccountEvent[];
  deliveries?: readonly Delivery[];
}

export interface Wanted {
  /** Null for no names; with an option that the service must have. */
  names: { option?: string } | null;
  /** The option that asks for the history; null without it. */
  history: string | null;
  /** The option that asks for the deliveries; null without it. @default null */
  deliveries?: string | null;
}

export interface LoadedOrder {
  order: OrderRecord;
  extensions: readonly string[];
}

export interface LoadRequest {
  signal: AbortSignal;
  maxRetries?: number;
}

type Client = Pick<Tradepost, 'orders' | 'events' | 'deliveries'>;

type Expand = Pick<GetOrderOptions, 'expand'>;

/**
 * Gets an order with what is wanted of it.
 *
 * @throws {CliError} `unsupported_option` if the service does not have what an option needs
 */
export async function loadOrder(
  { orders, events, ...client }: Client,
  id: string,
  { names, history, deliveries = null }: Wanted,
  request: LoadRequest,
): Promise<LoadedOrder> {
  const withNames: Extra<Expand> = {
    extension: 'orders.expand',
    parameters: { expand: orderExpansions },
    ...names,
  };
  const { data, extensions } = await sendExtended<
    Order & Partial<OrderExpansions>,
    Expand,
    Extra<Expand>
  >((expand) => orders.get(id, { ...request, ...expand }), names === null ? [] : [withNames]);
  const order: OrderRecord = placeNames(data);
  if (history !== null) {
    requireExtension('events', history, extensions);
    order.history = await fetchHistory(events, id, request);
  }
  if (deliveries !== null) {
    requireExtension('deliveries', deliveries, extensions);
    const all = { limit: Number.POSITIVE_INFINITY };
    const query = { orderId: id, limit: maxPageSize };
    order.deliveries = await client.deliveries.list(query, request).toArray(all);
  }
  return { order, extensions };
}
