import type { OrderSort, OrderStatus } from '@tradepost/contract';
import type { Caller } from '../accounts/account';
import type { CommandContext } from '../kernel/context';
import type { IdempotencyKey, IdempotentResult, StoredResponse } from '../kernel/idempotency';
import type { PageKey } from '../kernel/pagination';
import type { Listing } from '../listings/listing';
import type { Order, OrderContext, OrderMutation } from './order';

/** Filters a list of orders. */
export interface OrderFilter {
  /** With one of these. Not empty, none twice. */
  statuses?: readonly OrderStatus[];
  buyerId?: string;
  sellerId?: string;
  listingId?: string;
  /** Of so many units or more. */
  minQuantity?: number;
  /** Of so many units or fewer. */
  maxQuantity?: number;
  /** Created after this time, exclusive, in milliseconds since 1970. */
  createdAfter?: number;
  /** Created before this time, exclusive, in milliseconds since 1970. */
  createdBefore?: number;
  /** Last changed after this time, exclusive, in milliseconds since 1970. */
  updatedAfter?: number;
  /** Last changed before this time, exclusive, in milliseconds since 1970. No query has it; a store may add it. */
  updatedBefore?: number;
}

/** Which page of a list is requested. */
export interface PageOfOrders {
  after: PageKey | null;
  limit: number;
  /** @default '-createdAt' */
  sort?: OrderSort;
  /**
   * Whether a client may continue from the latest time that it gets. Then no order is returned while a change may still be committed
   * that has the same time or an earlier one. It needs changes whose contexts are of a real clock.
   * @default false
   */
  isFinal?: boolean;
}

/** An order after a request to change it. */
export interface ChangedOrder {
  order: Order;
  /** Whether this request changed it. */
  changed: boolean;
}

/**
 * Stores orders. Each method is one transaction: the result of `decide` is written with its events, its notifications and one
 * delivery for each subscribed webhook, or not at all. `decide` must be pure, may be called again, and throws to reject. It gets
 * the context with the time of the change, which the store may have corrected: see `PageOfOrders`.
 */
export interface OrderStore {
  /** Places an order from a listing. If the idempotency key has a stored response, returns that and does not call `decide`. */
  placeOrder<Response extends StoredResponse>(
    request: {
      listingId: string;
      /** The account that places it. A store may read ahead what its events need. */
      buyerId?: string;
      idempotencyKey: IdempotencyKey | null;
      context: CommandContext;
    },
    decide: (
      listing: Listing | null,
      context: CommandContext,
    ) => { change: OrderMutation; response: Response },
  ): Promise<IdempotentResult<Response>>;
  /**
   * Changes an order, unless `decide` returns null. Returns the order after that, and whether this call changed it, also if its
   * commit was interrupted and `decide` ran again.
   */
  changeOrder(
    id: string,
    context: CommandContext,
    decide: (found: OrderContext | null, context: CommandContext) => OrderMutation | null,
  ): Promise<ChangedOrder>;
  /** Returns the order with this ID, or null. */
  findOrder(id: string): Promise<Order | null>;
  /** Returns the names of accounts and the titles of listings, by their IDs, in one query. */
  findNames(
    accountIds: readonly string[],
    listingIds: readonly string[],
  ): Promise<ReadonlyMap<string, string | null>>;
  /**
   * Lists the orders that the caller participates in, after `after`, up to `limit`.
   *
   * @param signal Cancels the search for a filter that needs one.
   * @throws DomainError `rate_limited` if the account has too many searches; `validation_failed` if the list has to be final and the
   *   database does not show what that needs.
   */
  listOrders(
    caller: Caller,
    filter: OrderFilter,
    page: PageOfOrders,
    signal?: AbortSignal,
  ): Promise<Order[]>;
  /**
   * Counts the orders that the caller participates in, up to `limit`.
   *
   * @param signal Cancels the search for a filter that needs one.
   * @throws DomainError `rate_limited` if the account has too many searches.
   */
  countOrders(
    caller: Caller,
    filter: OrderFilter,
    limit: number,
    signal?: AbortSignal,
  ): Promise<number>;
}
