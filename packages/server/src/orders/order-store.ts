import type { OrderStatus } from '@tradepost/contract';
import type { Caller } from '../accounts/account';
import type { Answer, Answered, IdempotencyClaim } from '../idempotency-claim';
import type { Listing } from '../listings/listing';
import type { Moment } from '../moment';
import type { Position } from '../position';
import type { Order } from './order';
import type { OrderChange, OrderSituation } from './order-change';

/** Which orders a list is to hold. */
export interface OrderFilter {
  status?: OrderStatus;
  /** Placed after this moment, exclusive, in milliseconds since 1970. */
  createdAfter?: number;
  /** Placed before this moment, exclusive, in milliseconds since 1970. */
  createdBefore?: number;
}

/**
 * Where orders are kept. Each verb is one transaction: what `decide` comes to is written whole, with
 * its events, notifications and one delivery for each subscribed webhook, or not at all. `decide` is
 * pure, may be called again, and refuses by throwing.
 */
export interface OrderStore {
  /** Places an order from a listing. A claim that was answered before is answered the same, and nothing is decided. */
  placeOrder<Given extends Answer>(
    request: { listingId: string; claim: IdempotencyClaim | null; moment: Moment },
    decide: (listing: Listing | null) => { change: OrderChange; answer: Given },
  ): Promise<Answered<Given>>;
  /** Changes an order, unless `decide` says null. Answers the order as it then is. */
  changeOrder(
    id: string,
    moment: Moment,
    decide: (found: OrderSituation | null) => OrderChange | null,
  ): Promise<Order>;
  /** The order with this id, or null. */
  findOrder(id: string): Promise<Order | null>;
  /** Orders that the caller is a party of, newest first, from `after` on, `limit` at most. */
  listOrders(
    caller: Caller,
    filter: OrderFilter,
    page: { after: Position | null; limit: number },
  ): Promise<Order[]>;
}
