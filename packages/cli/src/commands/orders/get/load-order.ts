import type { AccountEvent, Order, OrderExpansions, Tradepost } from '@tradepost/sdk';
import { assertObject } from '../../../errors/cli-error';
import { orderExpansions } from '../../../input/options';
import { isRejected, type NamedOrder, type NamesMode, placeNames } from '../order-view';
import { fetchHistory, lacksHistory } from './order-history';

/** An order with its history, if that was requested. */
export interface OrderRecord extends NamedOrder {
  history?: readonly AccountEvent[];
}

export interface Wanted {
  names: NamesMode;
  /** `if-possible`: without it, the order is shown all the same. */
  history: 'always' | 'if-possible' | 'never';
  /** Called with the reason why there is no history, unless the service has none. */
  onHistoryError: (error: unknown) => void;
}

interface Request {
  signal: AbortSignal;
  maxRetries?: number;
  timeout?: number;
}

type Client = Pick<Tradepost, 'orders' | 'events'>;

/** Gets an order with what is wanted of it. */
export async function loadOrder(
  client: Client,
  id: string,
  { names, history, onHistoryError }: Wanted,
  request: Request,
): Promise<OrderRecord> {
  const order = placeNames(await getOrder(client, id, names, request));
  if (history === 'never') return order;
  try {
    const once = history === 'always' ? request : { ...request, maxRetries: 0, timeout: 5_000 };
    return { ...order, history: await fetchHistory(client, id, once) };
  } catch (error) {
    if (history === 'always' || request.signal.aborted) throw error;
    if (!lacksHistory(error)) onHistoryError(error);
    return order;
  }
}

async function getOrder(
  { orders }: Client,
  id: string,
  names: NamesMode,
  request: Request,
): Promise<Order & Partial<OrderExpansions>> {
  if (names === 'never') return assertObject(await orders.get(id, request));
  try {
    return await orders.get(id, { ...request, expand: orderExpansions });
  } catch (error) {
    if (names === 'always' || !isRejected(error)) throw error;
    return await orders.get(id, request);
  }
}
