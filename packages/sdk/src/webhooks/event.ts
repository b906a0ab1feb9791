import type { OrderStatus } from '@tradepost/contract/wire';
import type { Other, Unrecognized } from '../unrecognized';

/** `data` of `order.created`. */
export interface OrderCreatedData {
  /** The new order, `ord_<id>`. */
  orderId: string;
  /** The buyer account, `usr_<id>`. */
  buyerId: string;
  /** The seller account, `usr_<id>`. */
  sellerId: string;
  /** The agent account, `usr_<id>`. Null when no agent is assigned. */
  agentId: string | null;
  /** The listing of the order, `lst_<id>`. */
  listingId: string;
  /** Units ordered: an integer from 1 to 1,000,000. */
  quantity: number;
  /** Status of the order when it was created. The service may add statuses. */
  status: OrderStatus | Other;
}

/** A new order was created. */
export interface OrderCreatedEvent {
  /** The event type. */
  event: 'order.created';
  /** When the event happened: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** The new order. */
  data: OrderCreatedData;
}

/** `data` of `order.status_changed`. Source: API specification, "Payload envelope". */
export interface OrderStatusChangedData {
  /** The order, `ord_<id>`. */
  orderId: string;
  /** Status before the change. The service may add statuses. */
  previousStatus: OrderStatus | Other;
  /** Status after the change. The service may add statuses. */
  status: OrderStatus | Other;
  /** Extension: why the order was changed, as the request gave it. Absent if it gave none. */
  reason?: string;
}

/** An order's status changed. */
export interface OrderStatusChangedEvent {
  /** The event type. */
  event: 'order.status_changed';
  /** When the event happened: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** The order and its status before and after the change. */
  data: OrderStatusChangedData;
}

/** `data` of `task.approval_requested` and `task.completed`. */
export interface TaskData {
  /** The approval task, `tsk_<id>`. */
  taskId: string;
  /** The order to approve, `ord_<id>`. */
  orderId: string;
  /** The agent account that has to approve, `usr_<id>`. */
  agentId: string;
}

/** A task requires trade agent approval. */
export interface TaskApprovalRequestedEvent {
  /** The event type. */
  event: 'task.approval_requested';
  /** When the event happened: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** The task, its order and its agent. */
  data: TaskData;
}

/** A task was marked complete. */
export interface TaskCompletedEvent {
  /** The event type. */
  event: 'task.completed';
  /** When the event happened: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** The task, its order and its agent. */
  data: TaskData;
}

/** `data` of `listing.availability_low`. */
export interface ListingAvailabilityLowData {
  /** The listing, `lst_<id>`. */
  listingId: string;
  /** The seller account, `usr_<id>`. */
  sellerId: string;
  /** Units left: an integer of at least 0. */
  availableQuantity: number;
  /** The threshold that `availableQuantity` dropped below: an integer of at least 0. */
  threshold: number;
}

/** A listing's available quantity dropped below its threshold. */
export interface ListingAvailabilityLowEvent {
  /** The event type. */
  event: 'listing.availability_low';
  /** When the event happened: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** The listing, its available quantity and its threshold. */
  data: ListingAvailabilityLowData;
}

/** Extension: `data` of `webhook.disabled`. */
export interface WebhookDisabledData {
  /** The webhook, `whk_<id>`. */
  webhookId: string;
  /** Where its deliveries were sent. */
  url: string;
  /** When the first attempt failed since the last success, or since it was resumed: ISO 8601, UTC, with milliseconds. */
  failingSince: string;
  /** When the service disabled it: ISO 8601, UTC, with milliseconds. */
  disabledAt: string;
  /** HTTP status of the response to the last attempt. Null when there was no response. */
  lastStatus: number | null;
  /** Why the last attempt got no complete response, such as `timeout`. Null when it got one. */
  lastError: string | null;
}

/** Extension: the service disabled a webhook of the account, because its endpoint kept failing. */
export interface WebhookDisabledEvent {
  /** The event type. */
  event: 'webhook.disabled';
  /** When the event happened: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** The webhook, and why it was disabled. */
  data: WebhookDisabledData;
}

/** An event of a type that this version knows: a union discriminated by `event`. */
export type KnownWebhookEvent =
  | OrderCreatedEvent
  | OrderStatusChangedEvent
  | TaskApprovalRequestedEvent
  | TaskCompletedEvent
  | ListingAvailabilityLowEvent
  | WebhookDisabledEvent;

/** An event of a type that is newer than this version. It is passed through unchanged. */
export interface UnknownWebhookEvent {
  /** The event type. */
  event: Unrecognized;
  /** When the event happened: ISO 8601, UTC. */
  createdAt: string;
  /** The event's data, in a shape that this version does not know. */
  data: Record<string, unknown>;
}

/**
 * The body of a delivery: a union discriminated by `event`. Its last member stands for types that this
 * version does not know, so a `switch` needs a `default` for them.
 */
export type WebhookEvent = KnownWebhookEvent | UnknownWebhookEvent;

/** The event of one type: `EventOf<'order.created'>` is `OrderCreatedEvent`. */
export type EventOf<Type extends KnownWebhookEvent['event']> = Extract<
  KnownWebhookEvent,
  { event: Type }
>;

// One instance, because creating a decoder costs more than using it.
const decoder = new TextDecoder();

/** Decodes a body to text without a byte order mark. Bytes that are not UTF-8 become U+FFFD. */
export function decodeText(body: string | Uint8Array): string {
  return typeof body === 'string' ? body.replace(/^\ufeff/, '') : decoder.decode(body);
}

/**
 * Parses the event in a body whose signature was verified. Null when the body is not an event. Unknown
 * event types are passed through. Source: API specification, "Payload envelope".
 */
export function readEvent(body: string | Uint8Array): WebhookEvent | null {
  try {
    const envelope = JSON.parse(decodeText(body));
    const { event, createdAt, data } = envelope;
    const isEvent =
      event &&
      typeof event === 'string' &&
      typeof createdAt === 'string' &&
      typeof data === 'object' &&
      !Array.isArray(data);
    return isEvent && data ? envelope : null;
  } catch {
    return null;
  }
}
