import type { Notification as NotificationAnswer, NotificationType } from '@tradepost/contract';
import { timestamp } from '../clock';
import { DomainError } from '../domain-error';
import type { DomainEvent } from '../events/domain-event';
import type { Moment } from '../moment';

/** What one account is told of one event. */
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

/** An event's notifications: one for each recipient. */
export function notificationsOf(event: DomainEvent, moment: Moment): Notification[] {
  return event.recipients.map((accountId) => ({
    id: moment.newId('ntf'),
    accountId,
    eventId: event.id,
    type: event.kind.replace('.', '_') as NotificationType,
    orderId: event.orderId,
    message: event.message,
    read: false,
    createdAt: event.createdAt,
  }));
}

/** The problem of asking for a notification that is not there, or that is another account's. */
export function notificationNotFound(id: string): DomainError {
  return new DomainError(
    'notification_not_found',
    `No notification ${JSON.stringify(id)} belongs to this account. Check the id, which reads ntf_<id>, and whose key this is.`,
  );
}

/** A notification as the interface shows it. */
export function presentNotification(notification: Notification): NotificationAnswer {
  return {
    id: notification.id,
    type: notification.type,
    orderId: notification.orderId,
    message: notification.message,
    read: notification.read,
    createdAt: timestamp(notification.createdAt),
  };
}
