import type {
  ListingAvailabilityLowEvent,
  OrderStatus,
  TaskApprovalRequestedEvent,
  TaskCompletedEvent,
  OrderCreatedData as WireOrderCreatedData,
  OrderCreatedEvent as WireOrderCreatedEvent,
  OrderStatusChangedData as WireOrderStatusChangedData,
  OrderStatusChangedEvent as WireOrderStatusChangedEvent,
} from '@tradepost/contract/wire';
import type { Unrecognized } from '../unrecognized';

/** `data` of `order.created`. */
export interface OrderCreatedData extends Omit<WireOrderCreatedData, 'status'> {
  /** The order's state at that moment. */
  status: OrderStatus | Unrecognized;
}

/** A new order was created. */
export interface OrderCreatedEvent extends Omit<WireOrderCreatedEvent, 'data'> {
  /** The order, as it was placed. */
  data: OrderCreatedData;
}

/** `data` of `order.status_changed`. Source: the interface, "Payload envelope". */
export interface OrderStatusChangedData
  extends Omit<WireOrderStatusChangedData, 'previousStatus' | 'status'> {
  /** The state it left. */
  previousStatus: OrderStatus | Unrecognized;
  /** The state it is in now. */
  status: OrderStatus | Unrecognized;
}

/** An order's status changed. */
export interface OrderStatusChangedEvent extends Omit<WireOrderStatusChangedEvent, 'data'> {
  /** Which order, from which state to which. */
  data: OrderStatusChangedData;
}

/** An event of a kind that this version knows: a union told apart by its `event` field. */
export type KnownWebhookEvent =
  | OrderCreatedEvent
  | OrderStatusChangedEvent
  | TaskApprovalRequestedEvent
  | TaskCompletedEvent
  | ListingAvailabilityLowEvent;

/** An event of a kind that is newer than this version. It passes through as it came. */
export interface UnknownWebhookEvent {
  /** The event kind. */
  event: Unrecognized;
  /** When the event happened: ISO 8601, UTC. */
  createdAt: string;
  /** What happened, in a shape that this version does not know. */
  data: Record<string, unknown>;
}

/**
 * The body of a delivery: a union told apart by its `event` field. Its last member stands for kinds
 * that this version does not know, so a `switch` needs a `default` for them.
 */
export type WebhookEvent = KnownWebhookEvent | UnknownWebhookEvent;

/** The event of one kind: `EventOf<'order.created'>` is an `OrderCreatedEvent`. */
export type EventOf<Kind extends KnownWebhookEvent['event']> = Extract<
  KnownWebhookEvent,
  { event: Kind }
>;
