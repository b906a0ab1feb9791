import type { EventType, OrderStatus } from '@tradepost/sdk';

/** An order in the database. */
export interface RecordedOrder {
  id: string;
  status: OrderStatus;
  buyerId: string;
  sellerId: string;
  agentId: string | null;
  listingId: string;
  quantity: number;
}

/** An event in the database. */
export interface RecordedEvent {
  id: string;
  type: EventType;
  orderId: string;
  /** The body that is delivered. */
  body: string;
}

/** A delivery in the database. */
export interface RecordedDelivery {
  eventId: string;
  webhookId: string;
  state: string;
  /** Attempts that were recorded. */
  attempts: number;
}

/** The part of the database that the audit checks. */
export interface RecordedState {
  orders: RecordedOrder[];
  /** In the order of creation. */
  events: RecordedEvent[];
  notifications: { eventId: string; accountId: string }[];
  deliveries: RecordedDelivery[];
  listings: { id: string; available: number }[];
  /** What is inconsistent within the database, one sentence each. */
  faults: string[];
}
