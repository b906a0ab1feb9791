/** Every order status, in lifecycle order. Source: API specification, "States and transitions". */
export const orderStatuses = [
  'pending',
  'confirmed',
  'fulfilling',
  'completed',
  'cancelled',
] as const;

/** One order status. */
export type OrderStatus = (typeof orderStatuses)[number];

/** The statuses that an order may move to, by its status. Those without any are final. */
export const orderTransitions: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  pending: ['confirmed', 'fulfilling', 'cancelled'],
  confirmed: ['fulfilling', 'cancelled'],
  fulfilling: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
};

/**
 * How a list of orders may be sorted: by creation or by the last change, from oldest to newest, or with `-` from newest to
 * oldest. The first one is the default.
 */
export const orderSorts = ['-createdAt', 'createdAt', '-updatedAt', 'updatedAt'] as const;

/** One way to sort a list of orders. */
export type OrderSort = (typeof orderSorts)[number];

/** What an order can be expanded with: the names of its accounts and of its listing, and its entity tag. */
export const orderExpansions = ['buyer', 'seller', 'agent', 'listing', 'etag'] as const;

/** One expansion of an order. */
export type OrderExpansion = (typeof orderExpansions)[number];

/** The smallest and the largest quantity of one order, in units of its listing. */
export const orderQuantity = { min: 1, max: 1_000_000 } as const;

/** How many characters the reason of a change may have. */
export const maxReasonLength = 500;

/** Up to how many orders of a list can be counted. */
export const orderCount = { min: 1, max: 100_000 } as const;

/** How many orders a list has. */
export interface OrderTotal {
  /** The number of orders, at most as many as the request counts. */
  count: number;
  /** Whether there are more. */
  atLeast: boolean;
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

/** An order: ties a buyer, a seller and optionally an agent to a listing and a quantity. */
export interface Order {
  /** `ord_<id>`. IDs sort by creation time. */
  id: string;
  /** Current status. A new order is `pending`; `completed` and `cancelled` are final. */
  status: OrderStatus;
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
  /** Only with `expand=buyer`. */
  buyer?: OrderParty;
  /** Only with `expand=seller`. */
  seller?: OrderParty;
  /** Only with `expand=agent`. Null when no agent is assigned. */
  agent?: OrderParty | null;
  /** Only with `expand=listing`. */
  listing?: OrderListing;
  /** Only with `expand=etag`: what `ETag` of a response with this order alone has, such as `"3"` with its quotes. */
  etag?: string;
}

/** Body of `POST /v1/orders`. */
export interface CreateOrder {
  /** The listing to buy from, `lst_<id>`. */
  listingId: string;
  /** Units to order: an integer from 1 to 1,000,000, at most what the listing has available. */
  quantity: number;
}

/** Body of `PATCH /v1/orders/:id`. */
export interface UpdateOrder {
  /** The new status. The current status is accepted and changes nothing. */
  status: OrderStatus;
  /**
   * Extension: why the order changes, in 1 to 500 characters on one line, without white space at its start or end. It is in the
   * `order.status_changed` event, for everyone who may see the order. If the status is the current one, it is not stored.
   */
  reason?: string;
}

/** Query of `GET /v1/orders`. All but `status` are extensions. */
export interface ListOrders {
  /** Only orders with one of these statuses; sent as one text, separated by commas. */
  status?: OrderStatus[];
  /** Only orders of this buyer, `usr_<id>`. */
  buyerId?: string;
  /** Only orders of this seller, `usr_<id>`. */
  sellerId?: string;
  /** Only orders from this listing, `lst_<id>`. */
  listingId?: string;
  /** Only orders of at least so many units. */
  minQuantity?: number;
  /** Only orders of at most so many units; not less than `minQuantity`. */
  maxQuantity?: number;
  /** Only orders created after this time (exclusive), ISO 8601. */
  createdAfter?: string;
  /** Only orders created before this time (exclusive), ISO 8601. */
  createdBefore?: string;
  /** Only orders last changed after this time (exclusive), ISO 8601. */
  updatedAfter?: string;
  /** @default '-createdAt' */
  sort?: OrderSort;
  /** What to return with each order; sent as one text, separated by commas. */
  expand?: OrderExpansion[];
  /** Returns the total, counted up to so many: 1 to 100,000. */
  count?: number;
  /** Maximum number of orders per page: 1 to 100. @default 50 */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
}

/** Query of `GET /v1/orders/:id`, an extension. */
export interface GetOrder {
  /** What to return with the order; sent as one text, separated by commas. */
  expand?: OrderExpansion[];
}
