import type { NotificationStore } from '@tradepost/domain/notifications/notification';
import { NumberedConditions } from '../conditions';
import { mergeBounds } from '../page-bounds';
import { notifications } from '../records/tables';
import type { PostgresDatabase } from './database';

/** Creates the store of notifications. */
export function createPostgresNotificationStore(db: PostgresDatabase): NotificationStore {
  return {
    listNotifications(accountId, { read }, { after, limit }) {
      const conditions = new NumberedConditions().add('account_id = ?', accountId);
      if (read !== undefined) conditions.add('read = ?', read);
      conditions.addRange(mergeBounds({ after }));
      return db.list(
        notifications,
        `FROM notifications WHERE ${conditions.sql}
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
        const one = 'FROM notifications WHERE id = $1 AND account_id = $2';
        return await tx.find(notifications, one, id, accountId);
      }),
  };
}
