/** Every state of an order, in the order of its life. Source: the interface, "States and transitions". */
export const orderStatuses = [
  'pending',
  'confirmed',
  'fulfilling',
  'completed',
  'cancelled',
] as const;

/** One state of an order. */
export type OrderStatus = (typeof orderStatuses)[number];

/** The smallest and the largest quantity that one order may name, in units of its listing. */
export const orderQuantity = { min: 1, max: 1_000_000 } as const;

/** An order ties a buyer, a seller and optionally an agent to a listing and a quantity. */
export interface Order {
  /** `ord_<id>`. Ids sort by creation. */
  id: string;
  /** Where the order stands. A new order is `pending`; `completed` and `cancelled` are final. */
  status: OrderStatus;
  /** The buyer account that placed the order, `usr_<id>`. */
  buyerId: string;
  /** The seller account, taken from the listing, `usr_<id>`. */
  sellerId: string;
  /** The agent account, taken from the listing, `usr_<id>`; null when no agent is assigned. */
  agentId: string | null;
  /** The listing that is bought from, `lst_<id>`. */
  listingId: string;
  /** How many units are ordered: an integer from 1 to 1,000,000. */
  quantity: number;
  /** When the order was placed: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** When the order last changed: ISO 8601, UTC, with milliseconds. */
  updatedAt: string;
}

/** Body of `POST /v1/orders`. */
export interface CreateOrder {
  /** The listing to buy from, `lst_<id>`. */
  listingId: string;
  /** How many units: an integer from 1 to 1,000,000, at most what the listing has available. */
  quantity: number;
}

/** Body of `PATCH /v1/orders/:id`. */
export interface UpdateOrder {
  /** The state to move the order to. The state it already has is accepted and changes nothing. */
  status: OrderStatus;
}

/** Query of `GET /v1/orders`. Everything but `status` goes beyond the interface. */
export interface ListOrders {
  /** Only orders in this state. */
  status?: OrderStatus;
  /** Only orders placed after this moment (exclusive), ISO 8601. */
  createdAfter?: string;
  /** Only orders placed before this moment (exclusive), ISO 8601. */
  createdBefore?: string;
  /** How many orders a page holds at most: 1 to 100, 50 unless told. */
  limit?: number;
  /** `nextCursor` of the page before. */
  cursor?: string;
}
