import {
  type CreateOrder,
  endpoints,
  type ListOrders,
  type OrderStatus,
  type Order as ServiceOrder,
  type UpdateOrder,
} from '@tradepost/contract/wire';
import type { ApiCall } from '../internal/api-call';
import type { ListCall } from '../internal/list-call';
import { readItem } from '../internal/read-body';
import type { Transport } from '../internal/transport';
import type { RequestOptions } from '../request-options';
import type { Unrecognized } from '../unrecognized';

/** An order ties a buyer, a seller and optionally an agent to a listing and a quantity. */
export interface Order extends Omit<ServiceOrder, 'status'> {
  /**
   * Where the order stands. A new order is `pending`; `completed` and `cancelled` are final. The
   * service may add states.
   */
  status: OrderStatus | Unrecognized;
}

/** What updating an order may set besides. */
export interface UpdateOrderOptions extends RequestOptions {
  /**
   * The order's `ETag` as it was read, quotes included, such as `'"3"'`: the order is changed only
   * if it still has it, else a `PreconditionFailedError` is thrown. `.withResponse()` of a call that
   * answers an order has it among its `headers`. `*` stands for any.
   *
   * Such an update is not repeated when its answer was lost. A service may look at `ifMatch` first and
   * refuse the repetition for the change that the first attempt made.
   */
  ifMatch?: string | undefined;
}

/** The orders of the account that the API key belongs to. */
export class Orders {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the orders that the account may see, newest first. */
  list(query: ListOrders = {}, options?: RequestOptions): ListCall<Order> {
    return this.#transport.list({ endpoint: endpoints.orders.list, options }, query);
  }

  /**
   * Places an order. Buyer accounts only.
   *
   * An idempotency key is made for the call, so that a repeated attempt places no second order.
   */
  create(body: CreateOrder, options?: RequestOptions): ApiCall<Order> {
    return this.#transport.request({
      endpoint: endpoints.orders.create,
      body,
      options,
      read: readItem<Order>,
    });
  }

  /** Gets one order. */
  get(id: string, options?: RequestOptions): ApiCall<Order> {
    return this.#transport.request({
      endpoint: endpoints.orders.get,
      id,
      options,
      read: readItem<Order>,
    });
  }

  /** Moves an order to another status. Seller and agent accounts. */
  update(id: string, body: UpdateOrder, options?: UpdateOrderOptions): ApiCall<Order> {
    return this.#transport.request({
      endpoint: endpoints.orders.update,
      id,
      body,
      ifMatch: options?.ifMatch,
      options,
      read: readItem<Order>,
    });
  }
}
