import {
  type CreateOrder,
  endpoints,
  type ListOrders,
  type Order,
  type UpdateOrder,
} from '@tradepost/contract/wire';
import { fillPath } from '../internal/fill-path';
import { type ListCall, listCall } from '../internal/list-call';
import { readItem, readPage } from '../internal/read-body';
import type { Transport } from '../internal/transport';
import type { RequestOptions } from '../request-options';

/** What updating an order may set besides. */
export interface UpdateOrderOptions extends RequestOptions {
  /**
   * The order's `ETag` as it was read, quotes included, such as `'"3"'`: the order is changed only
   * if it still has it, else a `PreconditionFailedError` is thrown. It is a header of the service's
   * answer to `GET /v1/orders/:id`. The methods here do not hand it out, so it takes a request of
   * your own, or a `fetch` of yours that looks at the answer. `*` stands for any.
   *
   * Such an update is not repeated when its answer was lost, since the repetition would fail on the
   * change that the first one made.
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
    return listCall(query.cursor, (cursor) =>
      this.#transport.request({
        ...endpoints.orders.list,
        query: { ...query, cursor },
        options,
        read: readPage<Order>,
      }),
    );
  }

  /**
   * Places an order. Buyer accounts only.
   *
   * An idempotency key is made for the call, so that a repeated attempt places no second order.
   */
  async create(body: CreateOrder, options?: RequestOptions): Promise<Order> {
    return this.#transport.request({
      ...endpoints.orders.create,
      body,
      options,
      read: readItem<Order>,
    });
  }

  /** Gets one order. */
  async get(id: string, options?: RequestOptions): Promise<Order> {
    const { method, path } = endpoints.orders.get;
    return this.#transport.request({
      method,
      path: fillPath(path, { id }),
      options,
      read: readItem<Order>,
    });
  }

  /** Moves an order to another status. Seller and agent accounts. */
  async update(id: string, body: UpdateOrder, options?: UpdateOrderOptions): Promise<Order> {
    const { method, path } = endpoints.orders.update;
    return this.#transport.request({
      method,
      path: fillPath(path, { id }),
      body,
      ifMatch: options?.ifMatch,
      options,
      read: readItem<Order>,
    });
  }
}
