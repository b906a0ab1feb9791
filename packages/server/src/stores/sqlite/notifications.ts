import type { NotificationStore } from '@tradepost/domain/notifications/notification';
import { Conditions } from '../conditions';
import { mergeBounds } from '../page-bounds';
import { notifications } from '../records/tables';
import type { SqliteDatabase } from './database';
import { runIdempotent } from './idempotency';

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
        return db.list(
          notifications,
          `FROM notifications INDEXED BY ${index} WHERE ${conditions.sql}
           ORDER BY created_at DESC, id DESC LIMIT ?`,
          ...conditions.values,
          limit,
        );
      }),

    markRead: (accountId, id) =>
      db.write(() => {
        db.run(
          'UPDATE notifications SET read = 1 WHERE id = ? AND account_id = ? AND read = 0',
          id,
          accountId,
        );
        return db.find(
          notifications,
          'FROM notifications WHERE id = ? AND account_id = ?',
          id,
          accountId,
        );
      }),

    markAllRead: ({ accountId, before, limit, idempotencyKey, context }, respond) =>
      db.write(() =>
        runIdempotent(db, idempotencyKey, context.now, () => {
          const unread = db.all<{ id: string }>(
            `SELECT id FROM notifications INDEXED BY notifications_of_account_by_read
             WHERE account_id = ? AND read = 0 AND created_at < ? ORDER BY created_at, id LIMIT ?`,
            accountId,
            before,
            limit + 1,
          );
          const ids = unread.slice(0, limit).map(({ id }) => id);
          db.run(
            'UPDATE notifications SET read = 1 WHERE id IN (SELECT value FROM json_each(?))',
            JSON.stringify(ids),
          );
          return respond({ marked: ids.length, hasMore: unread.length > limit });
        }),
      ),
  };
}
