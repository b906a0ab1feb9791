import type { Notification, NotificationStore } from '@tradepost/domain/notifications/notification';
import { mergeBounds } from '../page-bounds';
import type { PostgresDatabase } from './database';
import { Conditions } from './page-range';
import type { WriteSet } from './write-set';

const columns = `id, account_id AS "accountId", event_id AS "eventId", type, order_id AS "orderId", message,
  read, created_at AS "createdAt"`;

/** Adds the inserts of notifications. */
export function insertNotifications(writes: WriteSet, notifications: Notification[]): void {
  if (notifications.length === 0) return;
  writes.add(
    `INSERT INTO notifications (id, account_id, event_id, type, order_id, message, read, created_at)
     SELECT n.id, n."accountId", n."eventId", n.type, n."orderId", n.message, n.read, n."createdAt"
     FROM json_to_recordset(${writes.bindRows(notifications)}) AS n (id TEXT, "accountId" TEXT, "eventId" TEXT, type TEXT,
       "orderId" TEXT, message TEXT, read BOOLEAN, "createdAt" BIGINT)`,
  );
}

/** Creates the store of notifications. */
export function createPostgresNotificationStore(db: PostgresDatabase): NotificationStore {
  return {
    listNotifications(accountId, { read }, { after, limit }) {
      const conditions = new Conditions().add('account_id = ?', accountId);
      if (read !== undefined) conditions.add('read = ?', read);
      conditions.addRange(mergeBounds({ after }));
      return db.rows<Notification>(
        `SELECT ${columns} FROM notifications WHERE ${conditions.sql}
         ORDER BY created_at DESC, id DESC LIMIT ${conditions.bind(limit)}`,
        ...conditions.values,
      );
    },

    markRead: (accountId, id) =>
      db.write(async (tx) => {
        tx.send(
          'UPDATE notifications SET read = TRUE WHERE id = $1 AND account_id = $2 AND NOT read',
          id,
          accountId,
        );
        const row = await tx.row<Notification>(
          `SELECT ${columns} FROM notifications WHERE id = $1 AND account_id = $2`,
          id,
          accountId,
        );
        return row ?? null;
      }),
  };
}
