import type { OrderStatus } from '../orders/order';

/** Every event kind. Source: the interface, "Event kinds". */
export const eventKinds = [
  'order.created',
  'order.status_changed',
  'task.approval_requested',
  'task.completed',
  'listing.availability_low',
] as const;

/** One event kind, as the envelope's `event` field carries it. */
export type EventKind = (typeof eventKinds)[number];

/** What a delivery's body holds: exactly `event`, `createdAt` and `data`. Ids travel in headers. */
interface Envelope<Kind extends EventKind, Data> {
  /** The event kind. This field is called `event`; there is no `type`. */
  event: Kind;
  /** When the event happened: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** What happened, in a shape of its own for each event kind. */
  data: Data;
}

/** `data` of `order.created`. */
export interface OrderCreatedData {
  /** The new order, `ord_<id>`. */
  orderId: string;
  /** The buyer account, `usr_<id>`. */
  buyerId: string;
  /** The seller account, `usr_<id>`. */
  sellerId: string;
  /** The agent account, `usr_<id>`; null when no agent is assigned. */
  agentId: string | null;
  /** The listing that was bought from, `lst_<id>`. */
  listingId: string;
  /** How many units were ordered. */
  quantity: number;
  /** The order's state at that moment. */
  status: OrderStatus;
}

/** `data` of `order.status_changed`. Source: the interface, "Payload envelope". */
export interface OrderStatusChangedData {
  /** The order that changed, `ord_<id>`. */
  orderId: string;
  /** The state it left. */
  previousStatus: OrderStatus;
  /** The state it is in now. */
  status: OrderStatus;
}

/** `data` of `task.approval_requested` and of `task.completed`. */
export interface TaskData {
  /** The approval task, `tsk_<id>`. */
  taskId: string;
  /** The order that is to be approved, `ord_<id>`. */
  orderId: string;
  /** The agent account whose approval is asked for, `usr_<id>`. */
  agentId: string;
}

/** `data` of `listing.availability_low`. */
export interface ListingAvailabilityLowData {
  /** The listing that runs low, `lst_<id>`. */
  listingId: string;
  /** The seller account, `usr_<id>`. */
  sellerId: string;
  /** How many units are left. */
  availableQuantity: number;
  /** The threshold that the available quantity dropped below. */
  threshold: number;
}

/** A new order was created. */
export interface OrderCreatedEvent extends Envelope<'order.created', OrderCreatedData> {}

/** An order's status changed. */
export interface OrderStatusChangedEvent
  extends Envelope<'order.status_changed', OrderStatusChangedData> {}

/** A task requires trade agent approval. */
export interface TaskApprovalRequestedEvent extends Envelope<'task.approval_requested', TaskData> {}

/** A task was marked complete. */
export interface TaskCompletedEvent extends Envelope<'task.completed', TaskData> {}

/** A listing's available quantity dropped below its threshold. */
export interface ListingAvailabilityLowEvent
  extends Envelope<'listing.availability_low', ListingAvailabilityLowData> {}

/** The body of a delivery: a union told apart by its `event` field. */
export type WebhookEvent =
  | OrderCreatedEvent
  | OrderStatusChangedEvent
  | TaskApprovalRequestedEvent
  | TaskCompletedEvent
  | ListingAvailabilityLowEvent;
