import { dueAhead, leaseMs } from '@tradepost/domain/deliveries/delivery';
import type { QueueStatus } from '@tradepost/domain/deliveries/delivery-store';
import {
  alignHealth,
  latestBackoffUntil,
  newEndpointHealth,
  nextAllowedAt,
} from '@tradepost/domain/deliveries/endpoint-health';
import { postgresQueues, type Queue as QueueRow } from '../records/tables';
import type { PostgresDatabase, Queries, Transaction } from './database';
import { insert, WriteSet } from './write-set';

/** A locked queue. */
export interface Queue extends QueueRow {
  /** No counted delivery is due before this time, in milliseconds since 1970. */
  dueFrom: number;
  /** Since when it waits to be polled; by default since now. */
  waitsSince?: number;
}

const queueFields = postgresQueues.without('nextAt');

/** Inserts the queue of a new webhook. */
export function insertQueue(tx: Transaction, webhookId: string, paused: boolean): void {
  const counts = { depth: 0, inFlight: 0, dueFrom: 0 };
  insert(tx, postgresQueues, [{ webhookId, paused, ...counts, ...newEndpointHealth }]);
}

/** Returns when the first delivery of a queue is due, counted or new; null if none is. */
async function selectFirstDueAt(
  db: Queries,
  { webhookId, dueFrom }: Queue,
): Promise<number | null> {
  const row = await db.row<{ dueAt: number | null }>(
    `SELECT least(
       (SELECT due_at FROM deliveries WHERE webhook_id = $1 AND due_at >= $2 ORDER BY due_at LIMIT 1),
       (SELECT min(due_at) FROM deliveries WHERE webhook_id = $1 AND NOT counted)) AS "dueAt"`,
    webhookId,
    dueFrom,
  );
  return row?.dueAt ?? null;
}

/**
 * How long a queue keeps its place among those that wait, in milliseconds. Other workers search from a time on that they remember:
 * nothing may be written that is due before it.
 */
const maxWaitMs = 30_000;

/**
 * Returns the due time that puts a requested delivery ahead of everything that has waited in the queue: just before the first
 * one. The queue must be locked.
 */
export async function dueFirst(tx: Transaction, queue: Queue, now: number): Promise<number> {
  return dueAhead(await selectFirstDueAt(tx, queue), now);
}

/**
 * Collects changes to queues that a transaction has locked, so that each queue is written once. Who changes unfinished deliveries
 * of a queue must have its lock, except for adding new ones.
 */
export class QueueUnitOfWork {
  readonly #queues: Map<string, Queue>;
  readonly #changed = new Set<string>();

  /** @param queues Locked queues. */
  constructor(queues: Iterable<Queue>) {
    this.#queues = new Map([...queues].map((queue) => [queue.webhookId, queue]));
  }

  /** Locks the queues of webhooks, in the order of their IDs, so that no two transactions wait for each other. */
  static async lock(tx: Transaction, webhookIds: Iterable<string>): Promise<QueueUnitOfWork> {
    return new QueueUnitOfWork(
      await tx.rows<Queue>(
        `SELECT ${queueFields.select} FROM queues WHERE webhook_id = ANY ($1::text[])
         ORDER BY webhook_id FOR NO KEY UPDATE`,
        [...new Set(webhookIds)],
      ),
    );
  }

  /** All locked queues. A webhook that was deleted and pruned has none. */
  get all(): Queue[] {
    return [...this.#queues.values()];
  }

  /** Returns a queue with the changes so far; undefined if its webhook was pruned. */
  find(webhookId: string): Queue | undefined {
    return this.#queues.get(webhookId);
  }

  /** Like `find`, for a webhook that exists. */
  get(webhookId: string): Queue {
    const queue = this.find(webhookId);
    if (queue === undefined) throw new Error(`Webhook ${webhookId} has no queue.`);
    return queue;
  }

  /** Changes a queue. Without changes of its own, only when it is polled next is updated. */
  change(webhookId: string, change: Partial<Queue> = {}): void {
    this.#changed.add(webhookId);
    this.#queues.set(webhookId, { ...this.get(webhookId), ...change });
  }

  /** Records that a delivery in a queue is due at this time. */
  noteDueAt(webhookId: string, dueAt: number): void {
    const { dueFrom } = this.get(webhookId);
    if (dueAt < dueFrom) this.change(webhookId, { dueFrom: dueAt });
  }

  /**
   * Adds the updates of the changed queues, and of when each should be polled next: when its first delivery is due and may be attempted, but not before
   * `now`, so that a queue that was just served goes behind the waiting ones. Call it after the deliveries are written.
   */
  addWrites(writes: WriteSet, now: number): void {
    if (this.#changed.size === 0) return;
    const changed = this.all.filter(({ webhookId }) => this.#changed.has(webhookId));
    const changes = changed.map((queue) => ({
      ...queue,
      allowedAt: Math.max(nextAllowedAt(queue, queue.waitsSince ?? now), now - maxWaitMs),
    }));
    writes.add(
      `UPDATE queues SET depth = c.depth, in_flight = c."inFlight", paused = c.paused,
         concurrency_limit = c."concurrencyLimit", failures = c.failures, failed_at = c."failedAt",
         backoff_until = c."backoffUntil",
         next_at = CASE
           WHEN c.paused OR c."inFlight" >= c."concurrencyLimit" OR first.due_at IS NULL THEN NULL
           ELSE greatest(first.due_at, c."allowedAt") END,
         due_from = coalesce(first.due_at, ${writes.bind(now)})
       FROM json_to_recordset(${writes.bindRows(changes)}) AS c ("webhookId" TEXT, depth BIGINT, "inFlight" BIGINT,
           paused BOOLEAN, "concurrencyLimit" BIGINT, failures BIGINT, "failedAt" BIGINT,
           "backoffUntil" BIGINT, "dueFrom" BIGINT, "allowedAt" BIGINT)
         LEFT JOIN LATERAL (
           SELECT due_at FROM deliveries
           WHERE deliveries.webhook_id = c."webhookId" AND due_at >= c."dueFrom"
           ORDER BY due_at LIMIT 1) AS first ON TRUE
       WHERE queues.webhook_id = c."webhookId"`,
    );
  }

  /** Like `addWrites`, in a statement of its own. */
  write(tx: Transaction, now: number): void {
    const writes = new WriteSet();
    this.addWrites(writes, now);
    writes.send(tx);
  }
}

/** Sums up all queues. Reads one row per queue, the first due delivery of queues that have one, and the new deliveries. */
export async function selectQueueStatus(db: Queries, now: number): Promise<QueueStatus> {
  const row = await db.row<QueueStatus>(
    `SELECT coalesce(sum(depth), 0)::bigint + (SELECT count(*) FROM deliveries WHERE NOT counted) AS depth,
       coalesce(sum(in_flight), 0)::bigint AS "inFlight",
       least(
         min(CASE WHEN NOT paused AND backoff_until <= $1 AND depth > in_flight THEN (
           SELECT due_at FROM deliveries
           WHERE webhook_id = queues.webhook_id AND due_at >= queues.due_from AND due_at <= $1
           ORDER BY due_at LIMIT 1) END),
         (SELECT min(d.due_at) FROM deliveries AS d JOIN queues AS q ON q.webhook_id = d.webhook_id
          WHERE NOT d.counted AND d.due_at <= $1 AND NOT q.paused AND q.backoff_until <= $1)
       ) AS "oldestDueAt"
     FROM queues`,
    now,
  );
  return row ?? { depth: 0, inFlight: 0, oldestDueAt: null };
}

/** How many waits one transaction reads and restarts. */
const batch = 250;

interface WaitRow {
  id: string;
  dueAt: number;
  scheduledAt: number;
}

/**
 * Adjusts leases after the clock was set. No lease ends later than a lease that starts now, and the time that a forward jump
 * skipped does not count.
 */
function adjustLeases(tx: Transaction, expected: number, now: number): void {
  const latest = now + leaseMs;
  tx.send('UPDATE deliveries SET lease_until = $1 WHERE lease_until > $1', latest);
  if (now <= expected) return;
  tx.send(
    `UPDATE deliveries SET lease_until = least(lease_until + $1, $2)
     WHERE lease_until > $3 AND lease_until < $2`,
    now - expected,
    latest,
    expected,
  );
}

/** Restarts the waits of a queue that started after `now`, and shortens its backoff. */
async function adjustQueue(db: PostgresDatabase, webhookId: string, now: number): Promise<void> {
  let position: Pick<WaitRow, 'dueAt' | 'id'> = { dueAt: now, id: '~' };
  for (let hasMore = true; hasMore; ) {
    const from = position;
    const found = await db.write(async (tx) => {
      const queues = await QueueUnitOfWork.lock(tx, [webhookId]);
      if (queues.find(webhookId) === undefined) return [];
      const waits = await tx.rows<WaitRow>(
        `SELECT id, due_at AS "dueAt", scheduled_at AS "scheduledAt" FROM deliveries
         WHERE webhook_id = $1 AND due_at IS NOT NULL AND (due_at, id) > ($2::bigint, $3)
         ORDER BY due_at, id LIMIT $4`,
        webhookId,
        from.dueAt,
        from.id,
        batch,
      );
      const ahead = waits.filter(({ scheduledAt }) => scheduledAt > now);
      tx.send(
        `UPDATE deliveries SET due_at = w."dueAt", scheduled_at = $2
         FROM json_to_recordset($1::json) AS w (id TEXT, "dueAt" BIGINT) WHERE deliveries.id = w.id`,
        JSON.stringify(
          ahead.map(({ id, dueAt, scheduledAt }) => ({
            id,
            dueAt: now + Math.max(0, dueAt - scheduledAt),
          })),
        ),
        now,
      );
      queues.noteDueAt(webhookId, now);
      queues.change(webhookId, alignHealth(queues.get(webhookId), now));
      queues.write(tx, now);
      return waits;
    });
    position = found.at(-1) ?? position;
    hasMore = found.length === batch;
  }
}

/**
 * Adjusts leases, waits and backoff after the clock was set, in small transactions. If nothing needs adjusting, it only reads.
 * Running it again has no further effect.
 */
export async function adjustToClock(
  db: PostgresDatabase,
  { expected, now }: { expected: number; now: number },
): Promise<void> {
  const leasedAhead = await db.row(
    'SELECT 1 FROM deliveries WHERE lease_until > $1 LIMIT 1',
    now + leaseMs,
  );
  if (now > expected || leasedAhead !== undefined) {
    await db.write(async (tx) => adjustLeases(tx, expected, now));
  }
  if (now > expected) return;
  const behind = await db.rows<{ webhookId: string }>(
    `SELECT webhook_id AS "webhookId" FROM queues
     WHERE backoff_until > $1 OR failed_at > $2 OR (next_at > $2 AND depth > 0)
       OR EXISTS (
         SELECT 1 FROM deliveries WHERE deliveries.webhook_id = queues.webhook_id AND due_at > $2)`,
    latestBackoffUntil(now),
    now,
  );
  for (const { webhookId } of behind) await adjustQueue(db, webhookId, now);
}
