import type { AccountEvent, Order, OrderExpansions, Tradepost } from '@tradepost/sdk';
import { isRejected } from '../../../client/rejections';
import { assertObject } from '../../../errors/cli-error';
import { orderExpansions } from '../../../input/options';
import { type NamedOrder, type NamesMode, placeNames } from '../order-view';
import { explainRejection } from '../rejected-extensions';
import { fetchHistory } from './order-history';

/** An order with its history, if that was requested. */
export interface OrderRecord extends NamedOrder {
  history?: readonly AccountEvent[];
}

export interface Wanted {
  names: NamesMode;
  history: boolean;
}

export interface LoadRequest {
  signal: AbortSignal;
  maxRetries?: number;
}

type Client = Pick<Tradepost, 'orders' | 'events'>;

/** Gets an order with what is wanted of it. */
export async function loadOrder(
  client: Client,
  id: string,
  { names, history }: Wanted,
  request: LoadRequest,
): Promise<OrderRecord> {
  const order = placeNames(await getOrder(client, id, names, request), names);
  if (!history) return order;
  try {
    return { ...order, history: await fetchHistory(client, id, request) };
  } catch (error) {
    throw explainRejection(error, '--history');
  }
}

async function getOrder(
  { orders }: Client,
  id: string,
  names: NamesMode,
  request: LoadRequest,
): Promise<Order & Partial<OrderExpansions>> {
  if (names === 'never') return assertObject(await orders.get(id, request));
  try {
    return await orders.get(id, { ...request, expand: orderExpansions });
  } catch (error) {
    if (names === 'always') throw explainRejection(error, 'names');
    if (!isRejected(error)) throw error;
    return await orders.get(id, request);
  }
}
