import type { EventType, OrderStatus } from '@tradepost/sdk';
import type { SeedData } from './seed-data';

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

/** An event that the loop caused, and the accounts that receive it. */
export interface LoopEvent {
  event: RecordedEvent;
  /** The order's parties; for a listing with low availability, its seller and agent. */
  recipients: string[];
}

function listRecipients({ type }: RecordedEvent, order: RecordedOrder): string[] {
  const { buyerId, sellerId, agentId } = order;
  const parties = type === 'listing.availability_low' ? [sellerId] : [buyerId, sellerId];
  return agentId === null ? parties : [...parties, agentId];
}

/** Returns the recorded events that the loop caused, without those of the seeded orders. */
export function listLoopEvents({ seededOrders }: SeedData, state: RecordedState): LoopEvent[] {
  const orders = new Map(state.orders.map((order) => [order.id, order]));
  return state.events.flatMap((event) => {
    const order = orders.get(event.orderId);
    if (order === undefined || seededOrders.has(order.id)) return [];
    return [{ event, recipients: listRecipients(event, order) }];
  });
}
