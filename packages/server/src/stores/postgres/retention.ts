import { smallestIdAt } from '@tradepost/domain/kernel/context';
import {
  formatPosition,
  type Pruned,
  type PruneStep,
  parsePosition,
  type ReferencePruneStep,
  type RetentionStore,
  type ScanPosition,
  type ScanPruned,
} from '@tradepost/domain/retention/retention-store';
import { accountRetention } from '../records/tables';
import type { PostgresDatabase, Transaction } from './database';
import { removeLogEntries } from './events';
import { QueueUnitOfWork } from './queues';
import { removeOldStats, removeStats } from './webhook-stats';

/**
 * A condition: nothing refers to an event. Notifications and deliveries are created with their event. So its notifications are those
 * of its accounts with its time, and pending deliveries of old events are few: those that were replayed, or waited while no worker ran.
 * Without `OFFSET`, the planner may turn the inner queries into joins that read whole tables or indexes.
 *
 * @param before The parameter with the time before which these events were created.
 */
const isUnreferenced = (before: string) => `NOT EXISTS (
    SELECT 1 FROM account_events AS e CROSS JOIN LATERAL (
      SELECT 1 FROM notifications AS n WHERE n.account_id = e.account_id AND n.read = ANY ('{t,f}')
        AND n.created_at = events.created_at AND n.event_id = events.id OFFSET 0) AS n
    WHERE e.event_id = events.id)
  AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = events.id)
  AND id NOT IN (
    SELECT d.event_id FROM queues CROSS JOIN LATERAL (
      SELECT event_id FROM pending_deliveries
      WHERE webhook_id = queues.webhook_id AND created_at < ${before} OFFSET 0) AS d)`;

/** Removes events that were created before a time and that nothing refers to, with their entries in event logs. Returns how many. */
async function deleteEvents(
  tx: Transaction,
  ids: readonly string[],
  before: number,
): Promise<number> {
  if (ids.length === 0) return 0;
  const removed = await tx.rows<{ id: string }>(
    `DELETE FROM events WHERE id = ANY ($1::text[]) AND ${isUnreferenced('$2')} RETURNING id`,
    ids,
    before,
  );
  await removeLogEntries(
    tx,
    removed.map(({ id }) => id),
  );
  return removed.length;
}

/**
 * Removes those of some events that are old enough and have no more references. Removing them together with their last reference
 * avoids a scan past all the events that stay.
 */
async function deleteUnreferenced(
  tx: Transaction,
  references: readonly { eventId: string }[],
  before: number,
): Promise<void> {
  const floor = smallestIdAt('evt', before);
  const ids = new Set(references.map(({ eventId }) => eventId).filter((id) => id < floor));
  // In one order, so that no two processes wait for each other.
  await deleteEvents(tx, [...ids].sort(), before);
}

/** Scans one type of item. */
interface Scan {
  /** The items, in the order of their IDs: $1 to $3 are the ID after which they start, the ID before which they end, and how many. */
  examine: string;
  /** The ID before which items are old enough. */
  end: string;
  /** Further parameters of `examine`. */
  values?: unknown[];
  /** Removes what can be removed of some items. Returns how many. */
  remove: (tx: Transaction, ids: string[]) => Promise<number>;
}

interface ExaminedRow {
  id: string;
  removable: boolean;
}

/** Runs one step of a scan. */
function pruneScan(
  db: PostgresDatabase,
  step: PruneStep,
  { examine, end, values = [], remove }: Scan,
): Promise<ScanPruned> {
  const { after, limit } = step;
  const read = () => db.rows<ExaminedRow>(examine, after ?? '', end, limit, ...values);
  return pruneExamined(db, step, read, ({ id }) => id, remove);
}

/**
 * Examines items outside a transaction, and then removes what it found in one.
 *
 * @param toNext Returns where the next step continues after an item.
 */
async function pruneExamined<Row extends ExaminedRow>(
  db: PostgresDatabase,
  { after, limit }: PruneStep,
  examine: () => Promise<Row[]>,
  toNext: (last: Row) => string,
  remove: Scan['remove'],
): Promise<ScanPruned> {
  const startedAt = performance.now();
  const examined = await examine();
  const last = examined.at(-1);
  const ids = examined.filter(({ removable }) => removable).map(({ id }) => id);
  const removed = ids.length === 0 ? 0 : await db.write((tx) => remove(tx, ids));
  return {
    removed,
    next: last ? toNext(last) : after,
    done: examined.length < limit,
    isCut: false,
    busyMs: performance.now() - startedAt,
    waitedMs: 0,
  };
}

function scanDeliveries({ before, eventsBefore }: ReferencePruneStep): Scan {
  return {
    examine: `SELECT id, finished_at < $4 AS removable FROM deliveries
      WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3`,
    // No delivery ends before it is created. A replay may let an old one end later.
    end: smallestIdAt('dlv', before),
    values: [before],
    remove: (tx, ids) => deleteFinished(tx, ids, { before, eventsBefore }),
  };
}

/** Removes those of some deliveries that finished before a time, with their attempts. Returns how many. */
async function deleteFinished(
  tx: Transaction,
  ids: readonly string[],
  { before, eventsBefore }: Pick<ReferencePruneStep, 'before' | 'eventsBefore'>,
): Promise<number> {
  const removed = await tx.rows<{ id: string; eventId: string }>(
    `DELETE FROM deliveries WHERE id = ANY ($1::text[]) AND finished_at < $2
     RETURNING id, event_id AS "eventId"`,
    ids,
    before,
  );
  deleteAttempts(tx, removed);
  await deleteUnreferenced(tx, removed, eventsBefore);
  return removed.length;
}

/** Scans the finished deliveries of a webhook by its index. */
function pruneWebhookDeliveries(
  db: PostgresDatabase,
  step: Parameters<RetentionStore['pruneWebhookDeliveries']>[0],
): Promise<ScanPruned> {
  const { webhookId, state, after, before, limit } = step;
  const from = parsePosition(after);
  const examine = () =>
    db.rows<ExaminedRow & ScanPosition>(
      `SELECT id, created_at AS "createdAt", finished_at < $5 AS removable FROM deliveries
       WHERE webhook_id = $1 AND state = $2 AND (created_at, id) > ($3, $4) AND created_at < $5
       ORDER BY created_at, id LIMIT $6`,
      webhookId,
      state,
      from.createdAt,
      from.id,
      before,
      limit,
    );
  const remove: Scan['remove'] = (tx, ids) => deleteFinished(tx, ids, step);
  return pruneExamined(db, step, examine, formatPosition, remove);
}

/** Removes the oldest notifications of an account, read or unread ones. Returns how many. */
async function pruneAccountNotifications(
  db: PostgresDatabase,
  {
    accountId,
    read,
    before,
    eventsBefore,
    limit,
  }: Parameters<RetentionStore['pruneAccountNotifications']>[0],
): Promise<number> {
  const found = await db.rows<{ id: string }>(
    `SELECT id FROM notifications WHERE account_id = $1 AND read = $2 AND created_at < $3
     ORDER BY created_at, id LIMIT $4`,
    accountId,
    read,
    before,
    limit,
  );
  if (found.length === 0) return 0;
  return await db.write(async (tx) => {
    const removed = await tx.rows<{ eventId: string }>(
      `DELETE FROM notifications WHERE id = ANY ($1::text[]) AND read = $2
       RETURNING event_id AS "eventId"`,
      found.map(({ id }) => id),
      read,
    );
    await deleteUnreferenced(tx, removed, eventsBefore);
    return removed.length;
  });
}

function deleteAttempts(tx: Transaction, deliveries: readonly { id: string }[]): void {
  tx.send(
    'DELETE FROM attempts WHERE delivery_id = ANY ($1::text[])',
    deliveries.map(({ id }) => id),
  );
}

function scanEvents({ before }: PruneStep): Scan {
  return {
    examine: `SELECT id, (${isUnreferenced('$4')}) AS removable FROM events
      WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3`,
    end: smallestIdAt('evt', before),
    values: [before],
    remove: (tx, ids) => deleteEvents(tx, ids, before),
  };
}

function scanNotifications({
  before,
  since = 0,
  eventsBefore,
  unread,
}: Parameters<RetentionStore['pruneNotifications']>[0]): Scan {
  return {
    examine: `SELECT id, (read OR $4) AS removable FROM notifications
      WHERE id > $1 AND id >= $5 AND id < $2 ORDER BY id LIMIT $3`,
    end: smallestIdAt('ntf', before),
    values: [unread, smallestIdAt('ntf', since)],
    async remove(tx, ids) {
      const removed = await tx.rows<{ eventId: string }>(
        `DELETE FROM notifications WHERE id = ANY ($1::text[]) AND (read OR $2)
         RETURNING event_id AS "eventId"`,
        ids,
        unread,
      );
      await deleteUnreferenced(tx, removed, eventsBefore);
      return removed.length;
    },
  };
}

function scanAuditLog({ before }: PruneStep): Scan {
  return {
    examine: `SELECT id, TRUE AS removable FROM audit_log
      WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3`,
    end: smallestIdAt('aud', before),
    remove: (tx, ids) => tx.run('DELETE FROM audit_log WHERE id = ANY ($1::text[])', ids),
  };
}

/** Removes deliveries of a deleted webhook, or finally the webhook. Returns how many of both. */
async function removeWebhook(tx: Transaction, webhookId: string, limit: number): Promise<number> {
  const queues = await QueueUnitOfWork.lock(tx, [webhookId]);
  const rows = await tx.rows<{ id: string; attempts: number }>(
    `(SELECT id, attempts FROM pending_deliveries WHERE webhook_id = $1 LIMIT $2)
     UNION ALL (SELECT id, attempts FROM deliveries WHERE webhook_id = $1 LIMIT $2) LIMIT $2`,
    webhookId,
    limit,
  );
  let weight = 0;
  const ids: string[] = [];
  for (const { id, attempts } of rows) {
    if (weight >= limit) break;
    ids.push(id);
    weight += 1 + attempts;
  }
  if (ids.length === 0) {
    // Signals of a webhook without a queue would hide those of others.
    const signals = await tx.run(
      `DELETE FROM queue_signals WHERE (due_at, webhook_id, id) IN (
         SELECT due_at, webhook_id, id FROM queue_signals WHERE webhook_id = $1 LIMIT $2)`,
      webhookId,
      limit,
    );
    if (signals > 0) return signals;
    const stats = await removeStats(tx, webhookId, limit);
    if (stats > 0) return stats;
    return await tx.run('DELETE FROM webhooks WHERE id = $1 AND deleted_at > 0', webhookId);
  }
  const [pending, finished] = await Promise.all([
    tx.rows<{ id: string; isLeased: boolean }>(
      `DELETE FROM pending_deliveries WHERE id = ANY ($1::text[])
       RETURNING id, lease_until IS NOT NULL AND lease_counts AS "isLeased"`,
      ids,
    ),
    tx.rows<{ id: string }>('DELETE FROM deliveries WHERE id = ANY ($1::text[]) RETURNING id', ids),
  ]);
  deleteAttempts(tx, [...pending, ...finished]);
  const queue = queues.find(webhookId);
  if (queue) {
    queues.change(webhookId, {
      depth: queue.depth - pending.length,
      inFlight: queue.inFlight - pending.filter(({ isLeased }) => isLeased).length,
    });
  }
  queues.write(tx, 0);
  return pending.length + finished.length;
}

const nothingPruned: Pruned = { removed: 0, busyMs: 0, waitedMs: 0 };

async function timed(work: () => Promise<number>): Promise<Pruned> {
  const startedAt = performance.now();
  const removed = await work();
  return { removed, busyMs: performance.now() - startedAt, waitedMs: 0 };
}

/** Creates the store that removes old data. */
export function createPostgresRetentionStore(db: PostgresDatabase): RetentionStore {
  return {
    pruneDeliveries: (step) => pruneScan(db, step, scanDeliveries(step)),
    pruneEvents: (step) => pruneScan(db, step, scanEvents(step)),
    pruneNotifications: (step) => pruneScan(db, step, scanNotifications(step)),

    async findRetainingAccount(after) {
      const account = await db.find(
        accountRetention,
        `FROM accounts
         WHERE (keep_deliveries IS NOT NULL OR keep_notifications IS NOT NULL) AND id > $1
         ORDER BY id LIMIT 1`,
        after ?? '',
      );
      if (account === null) return null;
      const webhooks = await db.rows<{ id: string }>(
        'SELECT id FROM webhooks WHERE account_id = $1 AND deleted_at IS NULL',
        account.id,
      );
      return { ...account, webhookIds: webhooks.map(({ id }) => id) };
    },

    pruneWebhookDeliveries: (step) => pruneWebhookDeliveries(db, step),

    pruneAccountNotifications: (request) => timed(() => pruneAccountNotifications(db, request)),

    pruneAuditLog: (step) => pruneScan(db, step, scanAuditLog(step)),

    pruneIdempotencyKeys: ({ now, limit }) =>
      timed(() =>
        db.write((tx) =>
          tx.run(
            // As a subquery it may run again for each row, skip what is removed already, and remove more than the limit.
            `WITH expired AS MATERIALIZED (
               SELECT account_id, operation, key FROM idempotency_keys
               WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
             DELETE FROM idempotency_keys AS k USING expired AS e
             WHERE k.account_id = e.account_id AND k.operation = e.operation AND k.key = e.key`,
            now,
            limit,
          ),
        ),
      ),

    pruneSignIns: ({ codesBefore, sessionsBefore, limit }) =>
      timed(() =>
        db.write(async (tx) => {
          const [codes, sessions] = await Promise.all([
            tx.run(
              `DELETE FROM sign_in_codes WHERE hash = ANY (ARRAY(
                 SELECT hash FROM sign_in_codes WHERE expires_at <= $1
                 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
              codesBefore,
              limit,
            ),
            tx.run(
              `DELETE FROM api_keys WHERE id = ANY (ARRAY(
                 SELECT id FROM api_keys WHERE session AND expires_at <= $1
                 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
              sessionsBefore,
              limit,
            ),
          ]);
          return codes + sessions;
        }),
      ),

    async pruneRemovedWebhooks({ limit }) {
      // A change that read the subscription before it was deleted may have queued a delivery after the webhook was removed.
      const orphans = await db.rows<{ webhookId: string }>(
        `SELECT DISTINCT webhook_id AS "webhookId" FROM queue_signals
         WHERE NOT EXISTS (SELECT 1 FROM queues WHERE queues.webhook_id = queue_signals.webhook_id)
         LIMIT $1`,
        limit,
      );
      if (orphans.length > 0) {
        const webhookIds = orphans.map(({ webhookId }) => webhookId);
        await db.write(async (tx) => {
          // A delivery that is committed in between keeps its signal.
          for (const table of ['queue_signals', 'pending_deliveries'])
            tx.send(`DELETE FROM ${table} WHERE webhook_id = ANY ($1::text[])`, webhookIds);
        });
      }
      for (;;) {
        const webhook = await db.row<{ id: string }>(
          'SELECT id FROM webhooks WHERE deleted_at > 0 ORDER BY deleted_at LIMIT 1',
        );
        if (webhook === undefined) return nothingPruned;
        const pruned = await timed(() => db.write((tx) => removeWebhook(tx, webhook.id, limit)));
        // Otherwise another process has removed it, and others may be left.
        if (pruned.removed > 0) return pruned;
      }
    },

    pruneStats: (request) => timed(() => db.write((tx) => removeOldStats(tx, request))),

    // PostgreSQL overwrites deleted rows when it vacuums, and its log when it needs the space. Neither can be requested here.
    eraseDeleted: async () => true,
  };
}
