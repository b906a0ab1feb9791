import type { EventKind } from '../events/webhook-event';

type Underscored<Kind extends string> = Kind extends `${infer Noun}.${infer Happened}`
  ? `${Noun}_${Happened}`
  : never;

/** What a notification tells of: an event kind with `_` for `.`, such as `order_status_changed`. */
export type NotificationType = Underscored<EventKind>;

/** The polling equivalent of an event: one for each party of the order, the actor included. */
export interface Notification {
  /** `ntf_<id>`. Ids sort by creation. */
  id: string;
  /** The event it stands for, with `_` for `.`. */
  type: NotificationType;
  /** The order it is about, `ord_<id>`; of a listing that runs low, the order that took from it. */
  orderId: string;
  /** Human-readable text that names the order and, when its status changed, the new status. */
  message: string;
  /** False until marked read; it never turns false again. */
  read: boolean;
  /** When the event happened: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
}

/** Body of `PATCH /v1/notifications/:id`. */
export interface UpdateNotification {
  /** Always true: a notification cannot be made unread. */
  read: true;
}

/** Query of `GET /v1/notifications`. All of it goes beyond the interface. */
export interface ListNotifications {
  /** Only read notifications (true) or only unread ones (false). */
  read?: boolean;
  /** How many notifications a page holds at most: 1 to 100, 50 unless told. */
  limit?: number;
  /** `nextCursor` of the page before. */
  cursor?: string;
}
