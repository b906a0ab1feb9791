import { endpoints, type NotificationType } from '@tradepost/contract/wire';
import type { ApiPromise } from '../http/api-promise';
import { readItem } from '../http/envelope';
import type { PagePromise } from '../http/pagination';
import type { Transport } from '../http/transport';
import type { RequestOptions } from '../options';
import type { Other } from '../unrecognized';

/** The polling equivalent of an event. Each party of the order gets one, including the one that caused it. */
export interface Notification {
  /** `ntf_<id>`. IDs sort by creation time. */
  id: string;
  /** The event type, with `_` for `.`, such as `order_status_changed`. The service may add types. */
  type: NotificationType | Other;
  /** The order, `ord_<id>`. For `listing_availability_low`: the order that reduced the quantity. */
  orderId: string;
  /** Human-readable text that names the order and, if it changed, its new status. */
  message: string;
  /** False until marked read. It never becomes false again. */
  read: boolean;
  /** When the event happened: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
}

/**
 * A notification after a change. A service need not send it: then the result has only its ID and `read`, and
 * the other fields are undefined. The reference server sends the whole notification.
 */
export type UpdatedNotification = Pick<Notification, 'id' | 'read'> & Partial<Notification>;

/** Filter and paging of `notifications.list`. */
export interface NotificationListParams {
  /** Only read notifications (true) or only unread ones (false). */
  read?: boolean | undefined;
  /** Maximum number of notifications per page: 1 to 100. @default 50 */
  limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
}

/** Parameters of `notifications.markAllRead`. */
export interface MarkAllReadParams {
  /**
   * Marks those created before this time (exclusive): a date, or ISO 8601 with seconds and an offset, such as
   * `2026-11-21T09:30:00Z`. Pass `createdAt` of the newest notification that you have seen: later ones stay unread.
   */
  before: string | Date;
}

/** What `notifications.markAllRead` did. */
export interface MarkedNotifications {
  /** How many are read now that were unread: 0 to 1,000. */
  marked: number;
  /** Whether unread ones are left from before the time: then call it again. */
  hasMore: boolean;
}

/** The notifications of the account that the API key belongs to. */
export class Notifications {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the account's notifications, newest first. */
  list(params: NotificationListParams = {}, options?: RequestOptions): PagePromise<Notification> {
    return this.#transport.list(
      { operation: 'notifications.list', endpoint: endpoints.notifications.list, options },
      params,
    );
  }

  /** Marks a notification as read. A notification that is already read does not change. */
  markRead(id: string, options?: RequestOptions): ApiPromise<UpdatedNotification> {
    return this.#transport.request({
      operation: 'notifications.markRead',
      endpoint: endpoints.notifications.update,
      id,
      body: { read: true },
      options,
      known: { id, read: true },
      read: readItem<UpdatedNotification>,
    });
  }

  /**
   * Marks up to 1,000 unread notifications from before a time as read, the oldest first. To mark all, call it again
   * while `hasMore` is true. Needs the extension `notifications.read`.
   *
   * @example
   * const { createdAt: before } = newest;
   * while ((await tradepost.notifications.markAllRead({ before })).hasMore);
   */
  markAllRead(
    params: MarkAllReadParams,
    options?: RequestOptions,
  ): ApiPromise<MarkedNotifications> {
    return this.#transport.request({
      operation: 'notifications.markAllRead',
      endpoint: endpoints.notifications.markAllRead,
      extension: true,
      body: params,
      options,
      read: readItem<MarkedNotifications>,
    });
  }
}
