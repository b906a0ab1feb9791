import type { NotificationType } from '@tradepost/contract';
import type { Notification, NotificationStore } from '@tradepost/domain/notifications/notification';
import { mergeBounds } from '../page-bounds';
import type { SqliteDatabase } from './database';
import { Conditions } from './page-range';

interface NotificationRow {
  id: string;
  account_id: string;
  event_id: string;
  type: NotificationType;
  order_id: string;
  message: string;
  read: number;
  created_at: number;
}

function readNotification(row: NotificationRow): Notification {
  return {
    id: row.id,
    accountId: row.account_id,
    eventId: row.event_id,
    type: row.type,
    orderId: row.order_id,
    message: row.message,
    read: row.read === 1,
    createdAt: row.created_at,
  };
}

const insertColumns = `INSERT INTO notifications
  (id, account_id, event_id, type, order_id, message, read, created_at) VALUES`;
const placeholders = '(?, ?, ?, ?, ?, ?, ?, ?)';

/** Inserts the notifications of an event by one statement. Call inside a write. */
export function insertNotifications(db: SqliteDatabase, notifications: Notification[]): void {
  if (notifications.length === 0) return;
  const values: unknown[] = [];
  for (const notification of notifications) {
    values.push(
      notification.id,
      notification.accountId,
      notification.eventId,
      notification.type,
      notification.orderId,
      notification.message,
      Number(notification.read),
      notification.createdAt,
    );
  }
  // An event has at most three recipients, so there are few statements to prepare.
  const rows = Array.from(notifications, () => placeholders).join(', ');
  db.run(`${insertColumns} ${rows}`, ...values);
}

/** Creates the store of notifications. */
export function createSqliteNotificationStore(db: SqliteDatabase): NotificationStore {
  return {
    listNotifications: (accountId, { read }, { after, limit }) =>
      db.read(() => {
        const conditions = new Conditions().add('account_id = ?', accountId);
        if (read !== undefined) conditions.add('read = ?', Number(read));
        conditions.addRange(mergeBounds({ after }));
        // The index is named so that SQLite cannot choose the other one because of statistics in the file, and skip rows.
        const index = `notifications_of_account${read === undefined ? '' : '_by_read'}`;
        return db
          .all<NotificationRow>(
            `SELECT * FROM notifications INDEXED BY ${index} WHERE ${conditions.sql}
             ORDER BY created_at DESC, id DESC LIMIT ?`,
            ...conditions.values,
            limit,
          )
          .map(readNotification);
      }),

    markRead: (accountId, id) =>
      db.write(() => {
        db.run(
          'UPDATE notifications SET read = 1 WHERE id = ? AND account_id = ? AND read = 0',
          id,
          accountId,
        );
        const row = db.get<NotificationRow>(
          'SELECT * FROM notifications WHERE id = ? AND account_id = ?',
          id,
          accountId,
        );
        return row === undefined ? null : readNotification(row);
      }),
  };
}
