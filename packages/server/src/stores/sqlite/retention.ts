import { smallestIdAt } from '@tradepost/domain/kernel/context';
import {
  type PruneStep,
  parsePosition,
  type ReferencePruneStep,
  type RetentionStore,
} from '@tradepost/domain/retention/retention-store';
import { accountRetention } from '../records/tables';
import type { SqliteDatabase } from './database';
import { removeLogEntries } from './events';
import { pruneInPortions, pruneScan, type Scan } from './prune-step';
import { removeOldStats, removeStats } from './webhook-stats';

const unreferenced = `NOT EXISTS (SELECT 1 FROM notifications WHERE event_id = events.id)
  AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = events.id)`;

/**
 * Removes those of some events that are old enough and have no more references. Removing them together with their last
 * reference avoids a scan past all the events that stay. Call inside a write.
 */
function deleteUnreferenced(
  db: SqliteDatabase,
  references: readonly { event_id: string }[],
  before: number,
): void {
  const floor = smallestIdAt('evt', before);
  const ids = new Set(references.map((row) => row.event_id).filter((id) => id < floor));
  const removed = [...ids].filter(
    (id) => db.run(`DELETE FROM events WHERE id = ? AND ${unreferenced}`, id) > 0,
  );
  removeLogEntries(db, removed);
}

function scanDeliveries(db: SqliteDatabase, { before, eventsBefore }: ReferencePruneStep): Scan {
  return {
    examine: (after, limit) =>
      db.all(
        `SELECT id, coalesce(finished_at < ?, 0) AS removable, 1 + attempts AS weight FROM deliveries
         WHERE id > ? AND id < ? ORDER BY id LIMIT ?`,
        before,
        after,
        // No delivery ends before it is created. A replay may let an old one end later.
        smallestIdAt('dlv', before),
        limit,
      ),
    remove(first, last) {
      const removed = db.all<{ event_id: string }>(
        'DELETE FROM deliveries WHERE id BETWEEN ? AND ? AND finished_at < ? RETURNING event_id',
        first,
        last,
        before,
      );
      deleteUnreferenced(db, removed, eventsBefore);
      return removed.length;
    },
  };
}

function scanEvents(db: SqliteDatabase, { before }: PruneStep): Scan {
  return {
    examine: (after, limit) =>
      db.all(
        `SELECT id, (${unreferenced}) AS removable, 4 AS weight FROM events
         WHERE id > ? AND id < ? ORDER BY id LIMIT ?`,
        after,
        smallestIdAt('evt', before),
        limit,
      ),
    remove(first, last) {
      const removed = db.all<{ id: string }>(
        `DELETE FROM events WHERE id BETWEEN ? AND ? AND ${unreferenced} RETURNING id`,
        first,
        last,
      );
      removeLogEntries(
        db,
        removed.map(({ id }) => id),
      );
      return removed.length;
    },
  };
}

function scanNotifications(
  db: SqliteDatabase,
  { before, since = 0, eventsBefore, unread }: Parameters<RetentionStore['pruneNotifications']>[0],
): Scan {
  const floor = smallestIdAt('ntf', since);
  return {
    examine: (after, limit) =>
      db.all(
        `SELECT id, ${unread ? '1' : 'read'} AS removable, 3 AS weight FROM notifications
         WHERE id > max(?, ?) AND id < ? ORDER BY id LIMIT ?`,
        after,
        floor,
        smallestIdAt('ntf', before),
        limit,
      ),
    remove(first, last) {
      const removed = db.all<{ event_id: string }>(
        `DELETE FROM notifications WHERE id BETWEEN ? AND ? ${unread ? '' : 'AND read = 1'}
         RETURNING event_id`,
        first,
        last,
      );
      deleteUnreferenced(db, removed, eventsBefore);
      return removed.length;
    },
  };
}

/** Scans the finished deliveries of a webhook by its index. Their names are their positions. */
function scanWebhookDeliveries(
  db: SqliteDatabase,
  {
    webhookId,
    state,
    before,
    eventsBefore,
  }: Parameters<RetentionStore['pruneWebhookDeliveries']>[0],
): Scan {
  const select = 'FROM deliveries WHERE webhook_id = ? AND state = ?';
  return {
    examine(after, limit) {
      const from = parsePosition(after || null);
      return db.all(
        `SELECT created_at || ':' || id AS id, finished_at < ? AS removable, 1 + attempts AS weight
         ${select} AND (created_at, id) > (?, ?) AND created_at < ?
         ORDER BY created_at, deliveries.id LIMIT ?`,
        before,
        webhookId,
        state,
        from.createdAt,
        from.id,
        before,
        limit,
      );
    },
    remove(first, last) {
      const [from, to] = [parsePosition(first), parsePosition(last)];
      const removed = db.all<{ event_id: string }>(
        `DELETE ${select} AND (created_at, id) >= (?, ?) AND (created_at, id) <= (?, ?)
           AND finished_at < ? RETURNING event_id`,
        webhookId,
        state,
        from.createdAt,
        from.id,
        to.createdAt,
        to.id,
        before,
      );
      deleteUnreferenced(db, removed, eventsBefore);
      return removed.length;
    },
  };
}

function scanAuditLog(db: SqliteDatabase, { before }: PruneStep): Scan {
  return {
    examine: (after, limit) =>
      db.all(
        `SELECT id, 1 AS removable, 1 AS weight FROM audit_log
         WHERE id > ? AND id < ? ORDER BY id LIMIT ?`,
        after,
        smallestIdAt('aud', before),
        limit,
      ),
    remove: (first, last) => db.run('DELETE FROM audit_log WHERE id BETWEEN ? AND ?', first, last),
  };
}

interface DeliveryToRemove {
  seq: number;
  attempts: number;
  pending: number;
  leased: number;
}

/** Removes deliveries of a deleted webhook. Returns how many. Call inside a write. */
function removeDeliveries(db: SqliteDatabase, webhookId: string, limit: number): number {
  const rows = db.all<DeliveryToRemove>(
    `SELECT seq, attempts, state = 'pending' AS pending,
       lease_until IS NOT NULL AND lease_counts = 1 AS leased
     FROM deliveries WHERE webhook_id = ? LIMIT ?`,
    webhookId,
    limit,
  );
  const total = { deliveries: 0, rows: 0, pending: 0, leased: 0 };
  for (const { seq, attempts, pending, leased } of rows) {
    if (total.rows >= limit) break;
    db.run('DELETE FROM deliveries WHERE seq = ?', seq);
    total.deliveries += 1;
    total.rows += 1 + attempts;
    total.pending += pending;
    total.leased += leased;
  }
  db.run(
    'UPDATE queues SET depth = depth - ?, in_flight = in_flight - ? WHERE webhook_id = ?',
    total.pending,
    total.leased,
    webhookId,
  );
  return total.deliveries;
}

const nothingPruned = { removed: 0, busyMs: 0, waitedMs: 0 };

/** Creates the store that removes old data. */
export function createSqliteRetentionStore(db: SqliteDatabase): RetentionStore {
  return {
    pruneDeliveries: (step) => pruneScan(db, step, scanDeliveries(db, step)),
    pruneEvents: (step) => pruneScan(db, step, scanEvents(db, step)),
    pruneNotifications: (step) => pruneScan(db, step, scanNotifications(db, step)),

    findRetainingAccount: (after) =>
      db.read(() => {
        const account = db.find(
          accountRetention,
          `FROM accounts INDEXED BY accounts_with_retention
           WHERE (keep_deliveries IS NOT NULL OR keep_notifications IS NOT NULL) AND id > ?
           ORDER BY id LIMIT 1`,
          after ?? '',
        );
        if (account === null) return null;
        const webhooks = db.all<{ id: string }>(
          'SELECT id FROM webhooks WHERE account_id = ? AND deleted_at IS NULL',
          account.id,
        );
        return { ...account, webhookIds: webhooks.map(({ id }) => id) };
      }),

    pruneWebhookDeliveries: (step) => pruneScan(db, step, scanWebhookDeliveries(db, step)),

    async pruneAccountNotifications({ accountId, read, before, eventsBefore, limit }) {
      const select = 'FROM notifications WHERE account_id = ? AND read = ? AND created_at < ?';
      const old = [accountId, Number(read), before];
      const isAny = `SELECT 1 ${select} LIMIT 1`;
      if ((await db.read(() => db.get(isAny, ...old))) === undefined) return nothingPruned;
      return await pruneInPortions(db, limit, (rows) => {
        // The event of each may go with it, from the event logs too.
        const most = Math.ceil(rows / 3);
        const removed = db.all<{ event_id: string }>(
          `DELETE FROM notifications WHERE id IN (
             SELECT id ${select} ORDER BY created_at, id LIMIT ?) RETURNING event_id`,
          ...old,
          most,
        );
        deleteUnreferenced(db, removed, eventsBefore);
        return { removed: removed.length, hasMore: removed.length === most };
      });
    },

    pruneAuditLog: (step) => pruneScan(db, step, scanAuditLog(db, step)),

    async pruneIdempotencyKeys({ now, limit }) {
      const isExpired = 'SELECT 1 FROM idempotency_keys WHERE expires_at <= ? LIMIT 1';
      if ((await db.read(() => db.get(isExpired, now))) === undefined) return nothingPruned;
      return await pruneInPortions(db, limit, (rows) => {
        const count = db.run(
          `DELETE FROM idempotency_keys WHERE (account_id, operation, key) IN (
             SELECT account_id, operation, key FROM idempotency_keys
             WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
          now,
          rows,
        );
        return { removed: count, hasMore: count === rows };
      });
    },

    async pruneSignIns({ codesBefore, sessionsBefore, limit }) {
      const isAny = `SELECT 1 FROM sign_in_codes WHERE expires_at <= ?
        UNION ALL SELECT 1 FROM api_keys WHERE session = 1 AND expires_at <= ? LIMIT 1`;
      const found = await db.read(() => db.get(isAny, codesBefore, sessionsBefore));
      if (found === undefined) return nothingPruned;
      return await pruneInPortions(db, limit, (rows) => {
        const codes = db.run(
          `DELETE FROM sign_in_codes WHERE hash IN (
             SELECT hash FROM sign_in_codes WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
          codesBefore,
          rows,
        );
        const sessions = db.run(
          `DELETE FROM api_keys WHERE id IN (
             SELECT id FROM api_keys WHERE session = 1 AND expires_at <= ?
             ORDER BY expires_at LIMIT ?)`,
          sessionsBefore,
          rows - codes,
        );
        return { removed: codes + sessions, hasMore: codes + sessions === rows };
      });
    },

    async pruneRemovedWebhooks({ limit }) {
      const find = () =>
        db.get<{ id: string }>(
          'SELECT id FROM webhooks WHERE deleted_at > 0 ORDER BY deleted_at LIMIT 1',
        );
      if ((await db.read(find)) === undefined) return nothingPruned;
      return await pruneInPortions(db, limit, (rows) => {
        // Another process may have removed the one that was found before, and others may be left.
        const webhook = find();
        if (webhook === undefined) return { removed: 0, hasMore: false };
        const removed = removeDeliveries(db, webhook.id, rows) || removeStats(db, webhook.id, rows);
        if (removed > 0) return { removed, hasMore: true };
        const count = db.run('DELETE FROM webhooks WHERE id = ? AND deleted_at > 0', webhook.id);
        return { removed: count, hasMore: false };
      });
    },

    async pruneStats({ width, before, limit }) {
      const isOld = 'SELECT 1 FROM webhook_stats WHERE width = ? AND start < ? LIMIT 1';
      if ((await db.read(() => db.get(isOld, width, before))) === undefined) return nothingPruned;
      return await pruneInPortions(db, limit, (rows) => {
        const removed = removeOldStats(db, { width, before }, rows);
        return { removed, hasMore: removed === rows };
      });
    },

    eraseDeleted: () => db.flushLog(),
  };
}
