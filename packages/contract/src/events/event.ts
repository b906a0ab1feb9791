import type { AccountKind } from '../accounts/account';
import type { OrderStatus } from '../orders/order';

/** The event types of the API specification ("Event kinds"). */
export const eventTypes = [
  'order.created',
  'order.status_changed',
  'task.approval_requested',
  'task.completed',
  'listing.availability_low',
] as const;

/** The event types beyond the API specification. Only a webhook that names one gets it, from a service with its extension. */
export const extensionEventTypes = ['webhook.disabled'] as const;

/** Every event type. A literal: bundlers do not remove a list that is made of others, also where nothing uses it. */
export const allEventTypes = [
  'order.created',
  'order.status_changed',
  'task.approval_requested',
  'task.completed',
  'listing.availability_low',
  'webhook.disabled',
] as const;

/** One event type: the value of the envelope's `event` field. */
export type EventType = (typeof allEventTypes)[number];

/** The body of a delivery: exactly `event`, `createdAt` and `data`. IDs travel in headers. */
interface Envelope<Type extends EventType, Data> {
  /** The event type. The field is called `event`; there is no field `type`. */
  event: Type;
  /** When the event happened: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** The event's data. Its shape depends on the event type. */
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
  /** The agent account, `usr_<id>`. Null when no agent is assigned. */
  agentId: string | null;
  /** The listing of the order, `lst_<id>`. */
  listingId: string;
  /** Units ordered: an integer from 1 to 1,000,000. */
  quantity: number;
  /** Status of the order when it was created. */
  status: OrderStatus;
}

/** `data` of `order.status_changed`. Source: API specification, "Payload envelope". */
export interface OrderStatusChangedData {
  /** The order, `ord_<id>`. */
  orderId: string;
  /** Status before the change. */
  previousStatus: OrderStatus;
  /** Status after the change. */
  status: OrderStatus;
  /** Extension: why the order was changed, as the request gave it. Absent if it gave none. */
  reason?: string;
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
  /** Why the last attempt got no complete response: a name of `attemptErrors`, such as `timeout`. Null when it got one. */
  lastError: string | null;
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

/** Extension: the service disabled a webhook of the account, because its endpoint kept failing. */
export interface WebhookDisabledEvent extends Envelope<'webhook.disabled', WebhookDisabledData> {}

/** The body of a delivery: a union discriminated by `event`. */
export type WebhookEvent =
  | OrderCreatedEvent
  | OrderStatusChangedEvent
  | TaskApprovalRequestedEvent
  | TaskCompletedEvent
  | ListingAvailabilityLowEvent
  | WebhookDisabledEvent;

/** How many seconds `GET /v1/events` may wait for an event. By default it does not wait. */
export const eventWaitSeconds = { min: 0, max: 30, default: 0 } as const;

/** The end of an event log, for `after`: only events from now on. */
export const endOfLog = 'now';

/** The account whose request caused an event. */
export interface EventActor {
  /** The account, `usr_<id>`. */
  accountId: string;
  /** What kind of account it is. */
  kind: AccountKind;
}

/** An event that the account may see: the body of its deliveries, its ID, and who caused it. */
export type AccountEvent = {
  /** `evt_<id>`: the same as the header `webhook-id` of its deliveries. */
  id: string;
  /**
   * Extension: the account whose request caused the event. Null if none did, or if that is not known, as of events from before
   * the service stored it. Not part of deliveries.
   */
  actor?: EventActor | null;
} & WebhookEvent;

/** How many events a page from the end of the log may have. */
export const eventTail = { min: 1, max: 100 } as const;

/**
 * Query of `GET /v1/events`. `after` and `since` exclude each other; `tail` excludes `after`, `limit` and `waitSeconds`; `until`
 * excludes `waitSeconds`; `before` needs `tail`.
 */
export interface ListEvents {
  /** `nextCursor` of the previous page: only later events. `now`: only events from now on, whatever clocks say. */
  after?: string;
  /** Only events at or after this time, ISO 8601. One in the future is that of the request, as with `after: 'now'`. */
  since?: string;
  /** Only events before this time, ISO 8601, except those that were committed more than a minute after their time. */
  until?: string;
  /** Only events of this type. */
  type?: EventType;
  /** Only events of this order, `ord_<id>`, including a low quantity of its listing that it caused. */
  orderId?: string;
  /** Maximum number of events per page: 1 to 100. @default 50 */
  limit?: number;
  /** The last events instead of the first ones, as many as this at most: 1 to 100. */
  tail?: number;
  /** `previousCursor` of a page with `tail`: only earlier events. */
  before?: string;
  /** Seconds to wait for an event when there is none yet: 0 to 30. @default 0 */
  waitSeconds?: number;
}

/** One page of the account's events, oldest first. There is no last page. */
export interface EventPage {
  /** The events of this page. Empty when there are no new events. */
  data: AccountEvent[];
  /** Pass it as `after` to continue from here. Never null. */
  nextCursor: string;
  /**
   * Whether more events may follow now. With a filter, a page may be empty although they do: a request reads only a part of a long
   * log. Absent with `tail`.
   */
  hasMore?: boolean;
  /** With `tail`: pass it as `before` for the page before. Null if no earlier event is stored. Otherwise absent. */
  previousCursor?: string | null;
}
