import type { EventType } from '../events/event';

type Underscore<Type extends string> = Type extends `${infer Noun}.${infer Verb}`
  ? `${Noun}_${Verb}`
  : never;

/** The type of a notification: an event type with `_` for `.`, such as `order_status_changed`. `webhook_disabled` is an extension. */
export type NotificationType = Underscore<EventType>;

/** The polling equivalent of an event. Each party of the order gets one, including the one that caused it. */
export interface Notification {
  /** `ntf_<id>`. IDs sort by creation time. */
  id: string;
  /** The event type, with `_` for `.`. */
  type: NotificationType;
  /**
   * The order, `ord_<id>`. For `listing_availability_low`: the order that reduced the quantity. For `webhook_disabled`: the order of the
   * last delivery that failed, which did nothing to the webhook.
   */
  orderId: string;
  /** Human-readable text that names the order and, if it changed, its new status; for `webhook_disabled` the webhook. */
  message: string;
  /** False until marked read. It never becomes false again. */
  read: boolean;
  /** When the event happened: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
}

/** Body of `PATCH /v1/notifications/:id`. */
export interface UpdateNotification {
  /** Always true: a notification cannot be marked unread. */
  read: true;
}

/** Query of `GET /v1/notifications`. All parameters are extensions. */
export interface ListNotifications {
  /** Only read notifications (true) or only unread ones (false). */
  read?: boolean;
  /** Maximum number of notifications per page: 1 to 100. @default 50 */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
}
