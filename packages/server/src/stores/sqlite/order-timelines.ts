import type { LoggedEvent } from '@tradepost/domain/events/event-log';
import type {
  PastDelivery,
  PastEvent,
  TimelineStore,
} from '@tradepost/domain/orders/order-timeline';
import { attemptFields, loggedDeliveryFields, notifications, orders } from '../records/tables';
import type { SqliteDatabase } from './database';
import { eventsOfOrder } from './events';

const pastAttemptFields = attemptFields.only(
  'number',
  'startedAt',
  'durationMs',
  'status',
  'error',
);
const pastNotificationFields = notifications.only('id', 'read');

/** Creates the store of timelines. */
export function createSqliteTimelineStore(db: SqliteDatabase): TimelineStore {
  function selectDeliveries(accountId: string, eventId: string, most: number): PastDelivery[] {
    const found = db.list(
      loggedDeliveryFields,
      `FROM deliveries AS d INDEXED BY deliveries_of_event
       JOIN webhooks ON webhooks.id = d.webhook_id
       JOIN queues ON queues.webhook_id = d.webhook_id
       WHERE d.event_id = ? AND webhooks.account_id = ? AND webhooks.deleted_at IS NULL`,
      eventId,
      accountId,
    );
    return found
      .sort((one, other) => (one.id < other.id ? -1 : 1))
      .map((delivery) => ({
        ...delivery,
        attempts: db
          .list(
            pastAttemptFields,
            `FROM attempts WHERE delivery_seq = (SELECT seq FROM deliveries WHERE id = ?)
             ORDER BY number DESC LIMIT ?`,
            delivery.id,
            most,
          )
          .reverse(),
      }));
  }

  function selectEvents(accountId: string, orderId: string, most: number): LoggedEvent[] {
    return db
      .all<LoggedEvent>(
        `${eventsOfOrder} WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT ?`,
        accountId,
        orderId,
        most,
      )
      .reverse();
  }

  return {
    readPast: (accountId, orderId, { entries, attempts }) =>
      db.view(() => {
        const order = db.find(orders, 'FROM orders WHERE id = ?', orderId);
        if (order === null) return null;
        const events = selectEvents(accountId, orderId, entries).map(
          ({ seq: _, ...event }): PastEvent => ({
            ...event,
            notification: db.find(
              pastNotificationFields,
              'FROM notifications INDEXED BY notifications_of_event WHERE event_id = ? AND account_id = ?',
              event.id,
              accountId,
            ),
            deliveries: selectDeliveries(accountId, event.id, attempts),
          }),
        );
        const pruned = db.get<{ prunedTo: number }>(
          'SELECT pruned_seq AS prunedTo FROM event_logs WHERE account_id = ?',
          accountId,
        );
        return { order, events, prunedTo: pruned?.prunedTo ?? 0 };
      }),
  };
}
