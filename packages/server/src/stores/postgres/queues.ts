import type { Account } from '@tradepost/domain/accounts/account';
import { leaseMs } from '@tradepost/domain/deliveries/delivery';
import type { QueueStatus } from '@tradepost/domain/deliveries/delivery-store';
import {
  alignHealth,
  latestBackoffUntil,
  newEndpointHealth,
  nextAllowedAt,
  resumedHealth,
} from '@tradepost/domain/deliveries/endpoint-health';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import { postgresQueues, type Queue as QueueRow } from '../records/tables';
import type { PostgresDatabase, Queries, Transaction } from './database';
import { selectDue } from './delivery-queries';
import { insert, WriteSet } from './write-set';

/** A locked queue. */
export interface Queue extends QueueRow {
  /** No delivery that is not leased is due before this time, except those that signals tell of. In milliseconds since 1970. */
  dueFrom: number;
  /** Since when it waits to be polled; by default since now. */
  waitsSince?: number;
}

const queueFields = postgresQueues.without('nextAt');

/** Inserts the queue of a new webhook. */
export function insertQueue(tx: Transaction, webhookId: string, paused: boolean): void {
  const counts = { depth: 0, inFlight: 0, dueFrom: 0, rateUntil: 0 };
  insert(tx, postgresQueues, [{ webhookId, paused, ...counts, ...newEndpointHealth }]);
}

/**
 * Returns whether nothing is sent to a webhook: it is paused, or its account is suspended. Call it with the lock of its queue, which a
 * suspension waits for, or with that of the account.
 */
export async function isHeld(
  tx: Transaction,
  { accountId, status }: Pick<Webhook, 'accountId' | 'status'>,
): Promise<boolean> {
  const suspended = 'SELECT 1 FROM accounts WHERE id = $1 AND suspended_at IS NOT NULL';
  return status === 'paused' || (await tx.row(suspended, accountId)) !== undefined;
}

/**
 * How long a queue keeps its place among those that wait, in milliseconds. Other workers search from a time on that they remember:
 * nothing may be written that is due before it.
 */
const maxWaitMs = 30_000;

/** Returns when the first delivery of a locked queue is due, leased ones aside; null if none is. */
export async function selectFirstDueAt(
  tx: Transaction,
  { webhookId, dueFrom }: Queue,
): Promise<number | null> {
  const row = await tx.row<{ dueAt: number | null }>(
    `SELECT least(
       (SELECT ready_at FROM (${selectDue({ webhookId: '$1', from: '$2', limit: '1' })}) AS first),
       (SELECT min(due_at) FROM queue_signals WHERE webhook_id = $1)) AS "dueAt"`,
    webhookId,
    dueFrom,
  );
  return row?.dueAt ?? null;
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

  /**
   * Locks the queues of webhooks, in the order of their IDs, so that no two transactions wait for each other.
   *
   * @param waits Whether to wait for those that others have locked. Otherwise these are left out.
   */
  static async lock(
    tx: Transaction,
    webhookIds: Iterable<string>,
    waits = true,
  ): Promise<QueueUnitOfWork> {
    return new QueueUnitOfWork(
      await tx.rows<Queue>(
        `SELECT ${queueFields.select} FROM queues WHERE webhook_id = ANY ($1::text[])
         ORDER BY webhook_id FOR NO KEY UPDATE${waits ? '' : ' SKIP LOCKED'}`,
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
    const first = selectDue({ webhookId: 'c."webhookId"', from: 'c."dueFrom"', limit: '1' });
    writes.add(
      `UPDATE queues SET depth = c.depth, in_flight = c."inFlight", paused = c.paused,
         concurrency_limit = c."concurrencyLimit", failures = c.failures, failed_at = c."failedAt",
         backoff_until = c."backoffUntil", last_status = c."lastStatus", last_error = c."lastError",
         failing_since = c."failingSince", rate_until = c."rateUntil",
         next_at = CASE
           WHEN c.paused OR c."inFlight" >= c."concurrencyLimit" OR first.ready_at IS NULL THEN NULL
           ELSE greatest(first.ready_at, c."allowedAt") END,
         due_from = coalesce(first.ready_at, ${writes.bind(now)})
       FROM json_to_recordset(${writes.bindRows(changes)}) AS c ("webhookId" TEXT, depth BIGINT, "inFlight" BIGINT,
           paused BOOLEAN, "concurrencyLimit" BIGINT, failures BIGINT, "failedAt" BIGINT,
           "backoffUntil" BIGINT, "lastStatus" BIGINT, "lastError" TEXT, "failingSince" BIGINT,
           "rateUntil" BIGINT,
           "dueFrom" BIGINT, "allowedAt" BIGINT)
         LEFT JOIN LATERAL (${first}) AS first ON TRUE
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

/** Holds the queues of an account that was suspended, or lets those continue of one that was resumed. */
export async function holdQueues(
  tx: Transaction,
  { id: accountId, suspendedAt }: Account,
  now: number,
): Promise<void> {
  const webhooks = `FROM webhooks WHERE account_id = $1 AND deleted_at IS NULL`;
  const ids = await tx.rows<{ id: string }>(`SELECT id ${webhooks}`, accountId);
  const queues = await QueueUnitOfWork.lock(
    tx,
    ids.map(({ id }) => id),
  );
  // Read after the locks: a change of a webhook that was in progress has ended.
  const own = await tx.rows<Pick<Webhook, 'id' | 'status'>>(
    `SELECT id, status ${webhooks}`,
    accountId,
  );
  for (const { id, status } of own) {
    const queue = queues.find(id);
    if (queue === undefined) continue;
    const paused = suspendedAt !== null || status === 'paused';
    queues.change(id, { paused, ...(!paused && resumedHealth) });
  }
  queues.write(tx, now);
}

/** Sums up all queues. Reads one row per queue, the first due delivery of queues that have one, and the signals. */
export async function selectQueueStatus(db: Queries, now: number): Promise<QueueStatus> {
  const first = selectDue({
    webhookId: 'queues.webhook_id',
    from: 'queues.due_from',
    until: '$1',
    limit: '1',
  });
  const row = await db.row<QueueStatus>(
    `SELECT (coalesce(sum(depth), 0) + (SELECT coalesce(sum(deliveries), 0) FROM queue_signals))::bigint AS depth,
       coalesce(sum(in_flight), 0)::bigint AS "inFlight",
       least(
         min(CASE WHEN NOT paused AND greatest(backoff_until, rate_until) <= $1 AND depth > in_flight
           THEN (SELECT ready_at FROM (${first}) AS f) END),
         (SELECT min(s.due_at) FROM queue_signals AS s JOIN queues AS q ON q.webhook_id = s.webhook_id
          WHERE s.due_at <= $1 AND NOT q.paused AND greatest(q.backoff_until, q.rate_until) <= $1)
       ) AS "oldestDueAt"
     FROM queues`,
    now,
  );
  return row ?? { depth: 0, inFlight: 0, oldestDueAt: null };
}

/** How many waits one transaction reads and restarts. */
const batch = 250;

/** When a delivery is due, and when that was decided. */
interface WaitRow {
  id: string;
  dueAt: number;
  scheduledAt: number;
}

/** Sets when pending deliveries are due that are not leased, or no longer. */
export function setDueTimes(tx: Transaction, waits: readonly WaitRow[]): void {
  if (waits.length === 0) return;
  tx.send(
    `UPDATE pending_deliveries AS d SET due_at = w.due_at, scheduled_at = w.scheduled_at,
       lease_token = NULL, lease_until = NULL
     FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS w (id, due_at, scheduled_at) WHERE d.id = w.id`,
    waits.map(({ id }) => id),
    waits.map(({ dueAt }) => dueAt),
    waits.map(({ scheduledAt }) => scheduledAt),
  );
}

/**
 * Adjusts leases after the clock was set. No lease ends later than a lease that starts now, and the time that a forward jump
 * skipped does not count.
 */
function adjustLeases(tx: Transaction, expected: number, now: number): void {
  const latest = now + leaseMs;
  tx.send('UPDATE pending_deliveries SET lease_until = $1 WHERE lease_until > $1', latest);
  if (now <= expected) return;
  tx.send(
    `UPDATE pending_deliveries SET lease_until = least(lease_until + $1, $2)
     WHERE lease_until > $3 AND lease_until < $2`,
    now - expected,
    latest,
    expected,
  );
}

/** When deliveries that are not leased are due: those that were attempted or requested, and new ones. Each is a range of an index. */
const waitRanges = [
  { time: 'due_at', condition: 'due_at IS NOT NULL' },
  { time: 'created_at', condition: 'due_at IS NULL' },
];

/** Restarts the waits of a queue that started after `now`, and shortens its backoff. */
async function adjustQueue(db: PostgresDatabase, webhookId: string, now: number): Promise<void> {
  for (const { time, condition } of waitRanges) {
    let position: Pick<WaitRow, 'dueAt' | 'id'> = { dueAt: now, id: '~' };
    for (let hasMore = true; hasMore; ) {
      const from = position;
      const found = await db.write(async (tx) => {
        const queues = await QueueUnitOfWork.lock(tx, [webhookId]);
        if (queues.find(webhookId) === undefined) return [];
        const waits = await tx.rows<WaitRow>(
          `SELECT id, ${time} AS "dueAt", coalesce(scheduled_at, created_at) AS "scheduledAt"
           FROM pending_deliveries
           WHERE webhook_id = $1 AND ${condition} AND lease_until IS NULL AND (${time}, id) > ($2::bigint, $3)
           ORDER BY ${time}, id LIMIT $4`,
          webhookId,
          from.dueAt,
          from.id,
          batch,
        );
        const ahead = waits.filter(({ scheduledAt }) => scheduledAt > now);
        setDueTimes(
          tx,
          ahead.map(({ id, dueAt, scheduledAt }) => ({
            id,
            dueAt: now + Math.max(0, dueAt - scheduledAt),
            scheduledAt: now,
          })),
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
    'SELECT 1 FROM pending_deliveries WHERE lease_until > $1 LIMIT 1',
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
         SELECT 1 FROM pending_deliveries AS d
         WHERE d.webhook_id = queues.webhook_id AND d.due_at > $2 AND d.lease_until IS NULL)
       OR EXISTS (
         SELECT 1 FROM pending_deliveries AS d
         WHERE d.webhook_id = queues.webhook_id AND d.created_at > $2 AND d.lease_until IS NULL)`,
    latestBackoffUntil(now),
    now,
  );
  for (const { webhookId } of behind) await adjustQueue(db, webhookId, now);
}
