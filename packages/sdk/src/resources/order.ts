import type { OrderExpansion, OrderStatus } from '@tradepost/contract/wire';
import type { Other } from '../unrecognized';

/** An order: ties a buyer, a seller and optionally an agent to a listing and a quantity. */
export interface Order {
  /** `ord_<id>`. IDs sort by creation time. */
  id: string;
  /**
   * Current status. A new order is `pending`; `completed` and `cancelled` are final. The service may add
   * statuses.
   */
  status: OrderStatus | Other;
  /** The buyer account that placed the order, `usr_<id>`. */
  buyerId: string;
  /** The seller account of the listing, `usr_<id>`. */
  sellerId: string;
  /** The agent account of the listing, `usr_<id>`. Null when no agent is assigned. */
  agentId: string | null;
  /** The listing, `lst_<id>`. */
  listingId: string;
  /** Units ordered: an integer from 1 to 1,000,000. */
  quantity: number;
  /** When the order was created: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** When the order last changed: ISO 8601, UTC, with milliseconds. */
  updatedAt: string;
}

/** An account of an order. */
export interface OrderParty {
  /** `usr_<id>`. */
  id: string;
  /** Display name. */
  name: string;
}

/** The listing of an order. */
export interface OrderListing {
  /** `lst_<id>`. */
  id: string;
  /** What it offers. Null if it has no title. */
  title: string | null;
}

/** What `expand` adds to an order. */
export interface OrderExpansions {
  /** The buyer account. */
  buyer: OrderParty;
  /** The seller account. */
  seller: OrderParty;
  /** The agent account. Null when no agent is assigned. */
  agent: OrderParty | null;
  /** The listing. */
  listing: OrderListing;
  /** What `orders.update` takes as `ifMatch`: `"3"`, with its quotes. */
  etag: string;
}

/** An order with what `expand` requests: `ExpandedOrder<'buyer' | 'listing'>`. */
export type ExpandedOrder<Expand extends OrderExpansion = OrderExpansion> = Order &
  Pick<OrderExpansions, Expand>;

/**
 * An order after an update. A service need not send it: then the result has only its ID and its status, and
 * the other fields are undefined. The reference server sends the whole order.
 */
export type UpdatedOrder = Pick<Order, 'id' | 'status'> & Partial<Order>;
