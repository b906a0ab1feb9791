import {
  endpoints,
  type OrderExpansion,
  type OrderSort,
  type OrderStatus,
  type OrderTotal,
  type Page,
} from '@tradepost/contract/wire';
import type { ApiPromise } from '../http/api-promise';
import { isRecord, readItem, readPage } from '../http/envelope';
import type { MoveOrderOptions, OrderMove, OrderMoveParams } from '../http/move-order';
import type { PagePromise } from '../http/pagination';
import type { Transport } from '../http/transport';
import type { RequestOptions } from '../options';
import type { ExpandedOrder, Order, UpdatedOrder } from './order';
import type { OrderTimeline } from './order-timeline';

/** One page of a list of orders. */
export interface OrderPage<Item extends Order = Order> extends Page<Item> {
  /** How many orders the list has. Only with `count`, if the service has this extension, and only on the first page. */
  total?: OrderTotal;
}

/** The order to create. */
export interface OrderCreateParams {
  /** The listing to buy from, `lst_<id>`. */
  listingId: string;
  /** Units to order: an integer from 1 to 1,000,000, at most what the listing has available. */
  quantity: number;
}

/** The changes of an order. */
export interface OrderUpdateParams {
  /** The new status. The current status is accepted and changes nothing. */
  status: OrderStatus;
  /**
   * Extension: why the order changes, in 1 to 500 characters on one line, without white space at its start or
   * end. It is in the `order.status_changed` event: everyone who may see the order, and the receivers of their
   * webhooks, see it. If the status is the current one, it is not stored. A service without the extension may
   * ignore or reject it.
   */
  reason?: string | undefined;
}

/** Filters and paging of `orders.list`. All but `status` are extensions. */
export interface OrderListParams {
  /** Only orders with this status, or with one of these. Several are an extension. */
  status?: OrderStatus | readonly OrderStatus[] | undefined;
  /** Only orders of this buyer, `usr_<id>`. */
  buyerId?: string | undefined;
  /** Only orders of this seller, `usr_<id>`. */
  sellerId?: string | undefined;
  /** Only orders from this listing, `lst_<id>`. */
  listingId?: string | undefined;
  /** Only orders of at least so many units. */
  minQuantity?: number | undefined;
  /** Only orders of at most so many units; not less than `minQuantity`. */
  maxQuantity?: number | undefined;
  /**
   * Only orders created after this time (exclusive): a date, or
   * ISO 8601 with seconds and an offset, such as `2026-11-21T09:30:00Z`.
   */
  createdAfter?: string | Date | undefined;
  /**
   * Only orders created before this time (exclusive): a date, or
   * ISO 8601 with seconds and an offset, such as `2026-11-21T09:30:00Z`.
   */
  createdBefore?: string | Date | undefined;
  /**
   * Only orders last changed after this time (exclusive): a date, or
   * ISO 8601 with seconds and an offset, such as `2026-11-21T09:30:00Z`. To poll, pass the latest `updatedAt` that
   * you have got, and follow all pages. `events.follow` has each change, in order, and does not depend on clocks.
   */
  updatedAfter?: string | Date | undefined;
  /**
   * By creation or by the last change; with `-` the newest first. An order that changes while a list by
   * `updatedAt` is read moves to its newest end.
   *
   * @default '-createdAt'
   */
  sort?: OrderSort | undefined;
  /** What to return with each order: names, such as `['buyer', 'listing']`, and `etag` (the extension `orders.etag`). */
  expand?: OrderExpansion | readonly OrderExpansion[] | undefined;
  /** Counts the orders of the list up to so many, 1 to 100,000: `(await orders.list({ count: 1_000 })).total`. */
  count?: number | undefined;
  /** Maximum number of orders per page: 1 to 100. @default 50 */
  limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
}

/** Options of `orders.get`. */
export interface GetOrderOptions extends RequestOptions {
  /** What to return with the order: names, such as `['buyer', 'listing']`, and `etag`. An extension. */
  expand?: OrderExpansion | readonly OrderExpansion[] | undefined;
}

/** Options of `orders.update`. */
export interface UpdateOrderOptions extends RequestOptions {
  /**
   * The `ETag` of the order when it was read, including its quotes, such as `'"3"'`. The order is updated
   * only if its current `ETag` matches; otherwise a `PreconditionFailedError` is thrown. `.withResponse()`
   * of a call that returns one order has the `ETag` in its `headers`. `*` matches any.
   *
   * What a proxy that compresses makes of it, such as `W/"3"`, may be passed as it is: after a 412, `"3"` is
   * sent. If a proxy removes the header, use `"${headers.get('Tradepost-Order-Version')}"`, an extension.
   *
   * Such an update is not retried when its response was lost: a service may check `ifMatch` first and
   * reject the retry because of the change that the first attempt made.
   */
  ifMatch?: string | undefined;
}

function readOrderPage(body: unknown): OrderPage | null {
  const page = readPage<Order>(body);
  if (page === null || !isRecord(body) || !isRecord(body.total)) return page;
  return { ...page, total: body.total as unknown as OrderTotal };
}

/** The orders of the account that the API key belongs to. */
export class Orders {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists the orders that the account may see, by default newest first. With `expand`, each has what it requests,
   * if the service has this extension.
   */
  list<const Expand extends OrderExpansion>(
    params: OrderListParams & { expand: Expand | readonly Expand[] },
    options?: RequestOptions,
  ): PagePromise<ExpandedOrder<Expand>, OrderPage<ExpandedOrder<Expand>>>;
  list(params?: OrderListParams, options?: RequestOptions): PagePromise<Order, OrderPage>;
  list(params: OrderListParams = {}, options?: RequestOptions): PagePromise<Order, OrderPage> {
    return this.#transport.listPages(
      {
        operation: 'orders.list',
        endpoint: endpoints.orders.list,
        options,
        read: readOrderPage,
      },
      params,
    );
  }

  /**
   * Creates an order. Buyer accounts only.
   *
   * The call sends a random idempotency key. It is retried if the service is known to honour these keys (see
   * the option `idempotency`), or if it certainly was not sent: so no retry creates a second order.
   *
   * @throws {ValidationError} `listing_not_found`, and `validation_failed` for an invalid quantity.
   * @throws {ConflictError} `insufficient_quantity`: the listing has less left.
   * @throws {PermissionError} for the key of a seller or agent account, and for a read-only key.
   */
  create(params: OrderCreateParams, options?: RequestOptions): ApiPromise<Order> {
    return this.#transport.request({
      operation: 'orders.create',
      endpoint: endpoints.orders.create,
      body: params,
      options,
      read: readItem<Order>,
    });
  }

  /**
   * Gets one order. With `expand`, it has what it requests, if the service has this extension.
   *
   * @throws {NotFoundError} when it does not exist, or the account may not see it.
   */
  get<const Expand extends OrderExpansion>(
    id: string,
    options: GetOrderOptions & { expand: Expand | readonly Expand[] },
  ): ApiPromise<ExpandedOrder<Expand>>;
  get(id: string, options?: GetOrderOptions): ApiPromise<Order>;
  get(id: string, options?: GetOrderOptions): ApiPromise<Order> {
    return this.#transport.request({
      operation: 'orders.get',
      endpoint: endpoints.orders.get,
      id,
      query: { expand: options?.expand },
      options,
      ownOptions: { expand: true },
      read: readItem<Order>,
    });
  }

  /**
   * Moves an order to another status. Seller and agent accounts only. A service may send no order in its
   * response: see `UpdatedOrder`.
   *
   * The header `Tradepost-Changed` of the response, an extension, says whether its request made the change:
   * `true` or, if the order already had the status, `false`. Of several clients that make the same change,
   * one gets `true`. A retry after a lost response gets `false` although an earlier attempt of the same call
   * may have made the change; a call with `ifMatch` or with `maxRetries: 0` has no such retry. A service
   * without the extension has no such header.
   *
   * @throws {ConflictError} `invalid_transition`: the order cannot move from its status to that one.
   * @throws {PreconditionFailedError} when the order has changed since `ifMatch` was read.
   * @throws {NotFoundError} when it does not exist, or the account may not see it.
   * @throws {PermissionError} for the key of a buyer account, and for a read-only key.
   * @example
   * const { headers } = await tradepost.orders.update(id, { status }, { ifMatch }).withResponse();
   * const changed = headers.get('Tradepost-Changed') === 'true';
   */
  update(
    id: string,
    params: OrderUpdateParams,
    options?: UpdateOrderOptions,
  ): ApiPromise<UpdatedOrder> {
    return this.#transport.request({
      operation: 'orders.update',
      endpoint: endpoints.orders.update,
      id,
      body: params,
      ifMatch: options?.ifMatch,
      options,
      ownOptions: { ifMatch: true },
      known: { id, status: params?.status },
      read: readItem<UpdatedOrder>,
    });
  }

  /**
   * Moves an order to another status from the one in which it is read, and from no other: it is read, changed only if no
   * one has changed it since (`If-Match`), and read again after a lost response, which `update` with `ifMatch` leaves to
   * the caller. So the result says what became of it. Limits of time are those of each request; `maxRetries` is also how
   * often it is read again after lost responses.
   *
   * A service that sends no `ETag` does not detect a change between reading and updating.
   *
   * @throws {TradepostError} what `get` and `update` throw. With `mayHaveBeenApplied` the order may have been moved, and
   * could not be read again: repeat the call with the same `progress`.
   * @example
   * const { outcome, order } = await tradepost.orders.move('ord_…', { from: 'pending', to: 'confirmed' });
   * if (outcome === 'skipped') console.log(`It is ${order.status} already.`);
   */
  async move(
    id: string,
    params: OrderMoveParams,
    options: MoveOrderOptions = {},
  ): Promise<OrderMove> {
    const { dryRun: _, beforeUpdate: __, progress: ___, ...request } = options;
    const first = await this.get(id, request).withResponse();
    // The file that has sent it.
    const { moveOrder } = await import('../http/retry-loop');
    const repeats = this.#transport.getRepeats(options);
    return await moveOrder(this, id, first, params, options, repeats);
  }

  /**
   * Gets what happened to an order, as far as the account may see it: for each event, oldest first, the change of status
   * that it reports and who made it, the account's own notification, and the deliveries to the account's own webhooks with
   * their last attempts. All of it is of one moment. An extension.
   *
   * @throws {NotFoundError} when it does not exist, or the account may not see it.
   * @example
   * const { entries, prunedBefore } = await tradepost.orders.timeline('ord_…');
   */
  timeline(id: string, options?: RequestOptions): ApiPromise<OrderTimeline> {
    return this.#transport.request({
      operation: 'orders.timeline',
      endpoint: endpoints.orders.timeline,
      extension: true,
      id,
      options,
      read: readItem<OrderTimeline>,
    });
  }
}
