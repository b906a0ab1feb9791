import type { Notification as NotificationResponse, NotificationType } from '@tradepost/contract';
import { type CommandContext, formatTimestamp } from '../kernel/context';
import { DomainError } from '../kernel/errors';
import type { IdempotencyKey, IdempotentResult, StoredResponse } from '../kernel/idempotency';
import type { PageKey } from '../kernel/pagination';

/** An event as one of its recipients sees it. */
export interface Notification {
  /** `ntf_<id>`. */
  id: string;
  accountId: string;
  eventId: string;
  type: NotificationType;
  orderId: string;
  message: string;
  read: boolean;
  /** Milliseconds since 1970. */
  createdAt: number;
}

/** Creates the error for a notification that does not exist or belongs to another account. */
export function notificationNotFound(id: string): DomainError {
  return new DomainError(
    'notification_not_found',
    `No notification ${JSON.stringify(id)} belongs to this account. Check the ID (ntf_<id>) and the API key.`,
  );
}

/** Converts a notification to the contract's notification. */
export function toNotificationResponse(notification: Notification): NotificationResponse {
  return {
    id: notification.id,
    type: notification.type,
    orderId: notification.orderId,
    message: notification.message,
    read: notification.read,
    createdAt: formatTimestamp(notification.createdAt),
  };
}

/** What `markAllRead` did. */
export interface MarkedNotifications {
  /** How many notifications are read now that were unread. */
  marked: number;
  /** Whether unread ones are left from before the time. */
  hasMore: boolean;
}

/** Stores notifications. Changes write them in their own transaction. */
export interface NotificationStore {
  /** Lists an account's notifications after `after`, newest first, up to `limit`. */
  listNotifications(
    accountId: string,
    filter: { read?: boolean },
    page: { after: PageKey | null; limit: number },
  ): Promise<Notification[]>;
  /** Marks an account's notification as read. Returns it, or null if the account has no such notification. */
  markRead(accountId: string, id: string): Promise<Notification | null>;
  /**
   * Marks an account's unread notifications from before a time as read, the oldest first, up to `limit`. If the idempotency key
   * has a stored response, none is marked.
   *
   * @param request.before Milliseconds since 1970, exclusive.
   */
  markAllRead<Response extends StoredResponse>(
    request: {
      accountId: string;
      before: number;
      limit: number;
      idempotencyKey: IdempotencyKey | null;
      context: CommandContext;
    },
    respond: (marked: MarkedNotifications) => Response,
  ): Promise<IdempotentResult<Response>>;
}
