import type { Notification, NotificationStore } from '@tradepost/domain/notifications/notification';
import { NumberedConditions } from '../conditions';
import { mergeBounds } from '../page-bounds';
import { notifications } from '../records/tables';
import type { PostgresDatabase, Transaction } from './database';
import {
  type GroupCommit,
  type GroupedChange,
  locking,
  type Outcome,
  type Traced,
} from './group-commit';
import { writeIdempotent } from './idempotency';

/** A notification to mark as read. */
interface Reading extends GroupedChange {
  id: string;
  accountId: string;
}

/** Marks notifications as read in one transaction. The result of each is the notification; null if the account has none with this ID. */
async function writeReadings(
  tx: Transaction,
  members: readonly Traced<Reading>[],
  waits: boolean,
): Promise<Outcome<Notification | null>[]> {
  const ids = members.map(({ change }) => change.id);
  const [locked, found] = await Promise.all([
    tx.rows<{ id: string }>(`SELECT id FROM notifications ${locking(waits)}`, ids),
    tx.list(notifications, 'FROM notifications WHERE id = ANY ($1::text[])', ids),
  ]);
  const own = new Map(found.map((one) => [`${one.accountId} ${one.id}`, one]));
  const isLocked = new Set(locked.map(({ id }) => id));
  const unread: string[] = [];
  const outcomes = members.map(({ change: { row, id, accountId } }) => {
    const notification = own.get(`${accountId} ${id}`);
    if (notification === undefined) return { result: null };
    if (!isLocked.has(id)) return { lockedRow: row };
    if (!notification.read) unread.push(id);
    return { result: { ...notification, read: true } };
  });
  if (unread.length > 0) {
    tx.send('UPDATE notifications SET read = TRUE WHERE id = ANY ($1::text[])', unread);
  }
  return outcomes;
}

/** Creates the store of notifications. */
export function createPostgresNotificationStore(
  db: PostgresDatabase,
  groups: GroupCommit,
): NotificationStore {
  return {
    listNotifications(accountId, { read }, { after, limit }) {
      const conditions = new NumberedConditions()
        .add('account_id = ?', accountId)
        .addRange(mergeBounds({ after }));
      const newestFirst = `ORDER BY created_at DESC, id DESC LIMIT ${conditions.bind(limit)}`;
      // One range of an index for each, which are merged.
      const ranges = (read === undefined ? [true, false] : [read]).map(
        (isRead) =>
          `(SELECT * FROM notifications WHERE ${conditions.sql} AND read = ${isRead} ${newestFirst})`,
      );
      return db.list(
        notifications,
        `FROM (${ranges.join(' UNION ALL ')}) AS notifications ${newestFirst}`,
        ...conditions.values,
      );
    },

    markRead: (accountId, id) =>
      groups.add(writeReadings, {
        row: `notification ${id}`,
        isRepeatable: true,
        id,
        accountId,
      }),

    markAllRead: ({ accountId, before, limit, idempotencyKey, context }, respond) =>
      writeIdempotent(db, idempotencyKey, context.now, async (tx) => {
        const unread = await tx.rows<{ id: string }>(
          `SELECT id FROM notifications WHERE account_id = $1 AND NOT read AND created_at < $2
           ORDER BY created_at, id LIMIT $3`,
          accountId,
          before,
          limit + 1,
        );
        const ids = unread.slice(0, limit).map(({ id }) => id);
        // In the order in which everything locks notifications. Another session may have marked some meanwhile.
        const locked = await tx.rows<{ id: string; read: boolean }>(
          `SELECT id, read FROM notifications ${locking(true)}`,
          ids,
        );
        const marked = locked.filter(({ read }) => !read).map(({ id }) => id);
        tx.send('UPDATE notifications SET read = TRUE WHERE id = ANY ($1::text[])', marked);
        const hasMore = unread.length > limit;
        return { response: respond({ marked: marked.length, hasMore }) };
      }),
  };
}
