import { idFloor } from '../../ids';
import type { Pruned, PruneStep, RetentionStore } from '../../retention/retention-store';
import type { SqliteDatabase } from './database';

/** What a walk looks at: one row, and whether it seems that it may go. */
interface Seen {
  id: string;
  may_go: number;
}

/** How one kind of thing is walked through. */
interface Walk<Row extends Seen> {
  /** Rows after an id, by id, `limit` at most. */
  look: (after: string, limit: number) => Row[];
  /** Removes a row if it may still go, and tells how many rows went with it, itself included. */
  remove: (row: Row) => number;
}

/** Looks outside of a transaction, so that rows which are to stay cost nobody else's time. */
async function takeStep<Row extends Seen>(
  db: SqliteDatabase,
  { after, limit }: PruneStep,
  { look, remove }: Walk<Row>,
): Promise<Pruned> {
  const rows = await db.read(() => look(after ?? '', limit));
  const end = rows.length < limit ? null : (rows.at(-1)?.id ?? null);
  const candidates = rows.filter((row) => row.may_go === 1);
  if (candidates.length === 0) return { removed: 0, next: end };
  return db.write(() => {
    let removed = 0;
    let gone = 0;
    for (const row of candidates) {
      const went = remove(row);
      removed += went > 0 ? 1 : 0;
      gone += went;
      if (gone >= limit) return { removed, next: row.id };
    }
    return { removed, next: end };
  });
}

interface SeenDelivery extends Seen {
  seq: number;
  attempts: number;
}

function walkDeliveries(db: SqliteDatabase, before: number): Walk<SeenDelivery> {
  return {
    look: (after, limit) =>
      db.all(
        `SELECT id, seq, attempts, coalesce(finished_at < ?, 0) AS may_go FROM deliveries
         WHERE id > ? AND id < ? ORDER BY id LIMIT ?`,
        before,
        after,
        // None ends before it is made; a replay lets an old one end later.
        idFloor('dlv', before),
        limit,
      ),
    remove: ({ seq, attempts }) =>
      db.run('DELETE FROM deliveries WHERE seq = ? AND finished_at < ?', seq, before) *
      (1 + attempts),
  };
}

const unmentioned = `NOT EXISTS (SELECT 1 FROM notifications WHERE event_id = events.id)
  AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = events.id)`;

function walkEvents(db: SqliteDatabase, before: number): Walk<Seen> {
  return {
    look: (after, limit) =>
      db.all(
        `SELECT id, (${unmentioned}) AS may_go FROM events WHERE id > ? AND id < ? ORDER BY id LIMIT ?`,
        after,
        idFloor('evt', before),
        limit,
      ),
    remove: ({ id }) => {
      if (db.run(`DELETE FROM events WHERE id = ? AND ${unmentioned}`, id) === 0) return 0;
      return 1 + db.run('DELETE FROM account_events WHERE event_id = ?', id);
    },
  };
}

function walkNotifications(db: SqliteDatabase, before: number): Walk<Seen> {
  return {
    look: (after, limit) =>
      db.all(
        'SELECT id, read AS may_go FROM notifications WHERE id > ? AND id < ? ORDER BY id LIMIT ?',
        after,
        idFloor('ntf', before),
        limit,
      ),
    remove: ({ id }) => db.run('DELETE FROM notifications WHERE id = ? AND read = 1', id),
  };
}

interface LeftRow {
  seq: number;
  attempts: number;
  pending: number;
  leased: number;
}

/** Removes deliveries of a removed webhook, and tells how many. For use inside of a write. */
function deleteLeft(db: SqliteDatabase, webhookId: string, limit: number): number {
  const rows = db.all<LeftRow>(
    `SELECT seq, attempts, state = 'pending' AS pending,
       lease_until IS NOT NULL AND lease_counts = 1 AS leased
     FROM deliveries WHERE webhook_id = ? LIMIT ?`,
    webhookId,
    limit,
  );
  const went = { deliveries: 0, rows: 0, pending: 0, leased: 0 };
  for (const { seq, attempts, pending, leased } of rows) {
    if (went.rows >= limit) break;
    db.run('DELETE FROM deliveries WHERE seq = ?', seq);
    went.deliveries += 1;
    went.rows += 1 + attempts;
    went.pending += pending;
    went.leased += leased;
  }
  db.run(
    'UPDATE queues SET depth = depth - ?, in_flight = in_flight - ? WHERE webhook_id = ?',
    went.pending,
    went.leased,
    webhookId,
  );
  return went.deliveries;
}

/** What removes that which has been kept for long enough, in SQLite. */
export function sqliteRetention(db: SqliteDatabase): RetentionStore {
  return {
    pruneDeliveries: (step) => takeStep(db, step, walkDeliveries(db, step.before)),
    pruneEvents: (step) => takeStep(db, step, walkEvents(db, step.before)),
    pruneNotifications: (step) => takeStep(db, step, walkNotifications(db, step.before)),

    async pruneIdempotencyKeys({ now, limit }) {
      const isExpired = 'SELECT 1 FROM idempotency_keys WHERE expires_at <= ? LIMIT 1';
      if ((await db.read(() => db.get(isExpired, now))) === undefined) return 0;
      return db.write(() =>
        db.run(
          `DELETE FROM idempotency_keys WHERE (account_id, operation, key) IN (
             SELECT account_id, operation, key FROM idempotency_keys
             WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
          now,
          limit,
        ),
      );
    },

    async pruneRemovedWebhooks({ limit }) {
      const removed = await db.read(() =>
        db.get<{ id: string }>(
          'SELECT id FROM webhooks WHERE deleted_at > 0 ORDER BY deleted_at LIMIT 1',
        ),
      );
      if (removed === undefined) return 0;
      return db.write(() => {
        const left = deleteLeft(db, removed.id, limit);
        if (left > 0) return left;
        return db.run('DELETE FROM webhooks WHERE id = ? AND deleted_at > 0', removed.id);
      });
    },

    eraseDeleted: () => db.flushLog(),
  };
}
