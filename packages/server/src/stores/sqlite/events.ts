import { newDelivery } from '../../deliveries/delivery';
import type { DomainEvent } from '../../events/domain-event';
import type { Moment } from '../../moment';
import { notificationsOf } from '../../notifications/notification';
import type { SqliteDatabase } from './database';
import { insertDelivery } from './deliveries';
import { insertNotification } from './notifications';

/**
 * Writes events with all that follows from them: a notification for each recipient and a delivery
 * for each of their active webhooks that subscribes to the kind. For use inside of a write.
 *
 * @returns How many deliveries were queued.
 */
export function insertEvents(db: SqliteDatabase, events: DomainEvent[], moment: Moment): number {
  let queued = 0;
  for (const event of events) {
    db.run(
      'INSERT INTO events (id, kind, order_id, body, created_at) VALUES (?, ?, ?, ?, ?)',
      event.id,
      event.kind,
      event.orderId,
      event.body,
      event.createdAt,
    );
    for (const notification of notificationsOf(event, moment)) insertNotification(db, notification);
    for (const accountId of event.recipients) {
      const subscribed = db.all<{ id: string }>(
        `SELECT webhooks.id FROM webhook_events
         JOIN webhooks ON webhooks.id = webhook_events.webhook_id
         WHERE webhook_events.account_id = ? AND webhook_events.kind = ?
           AND webhooks.status = 'active'`,
        accountId,
        event.kind,
      );
      for (const { id } of subscribed) insertDelivery(db, newDelivery(event, id, moment));
      queued += subscribed.length;
    }
  }
  return queued;
}
