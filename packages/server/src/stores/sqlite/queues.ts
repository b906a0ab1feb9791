import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Account } from '@tradepost/domain/accounts/account';
import { dueAhead, leaseMs } from '@tradepost/domain/deliveries/delivery';
import type { QueueStatus } from '@tradepost/domain/deliveries/delivery-store';
import {
  alignHealth,
  latestBackoffUntil,
  newEndpointHealth,
  nextAllowedAt,
  resumedHealth,
} from '@tradepost/domain/deliveries/endpoint-health';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import { type Queue, queues as queueTable, queueUpdate } from '../records/tables';
import type { SqliteDatabase } from './database';

const queueFields = queueTable.without('nextAt');

/** Inserts the queue of a new webhook. Call inside a write. */
export function insertQueue(db: SqliteDatabase, webhookId: string, paused: boolean): void {
  db.insert(queueTable, {
    webhookId,
    depth: 0,
    inFlight: 0,
    paused,
    rateUntil: 0,
    ...newEndpointHealth,
  });
}

/** Reads the queue of a webhook. Call inside a read or a write. */
export function selectQueue(db: SqliteDatabase, webhookId: string): Queue {
  const queue = db.find(queueFields, 'FROM queues WHERE webhook_id = ?', webhookId);
  if (queue === null) throw new Error(`Webhook ${webhookId} has no queue.`);
  return queue;
}

/** Lists the webhooks whose queues a worker may poll now, the longest waiting first. Call inside a write. */
export function selectReadyQueues(db: SqliteDatabase, now: number, limit: number): string[] {
  return db
    .all<{ webhook_id: string }>(
      'SELECT webhook_id FROM queues WHERE next_at <= ? ORDER BY next_at, webhook_id LIMIT ?',
      now,
      limit,
    )
    .map((row) => row.webhook_id);
}

/** Records that a delivery, due now, was added to a queue. Call inside a write. */
export function incrementDepth(db: SqliteDatabase, webhookId: string, now: number): void {
  const latest = latestBackoffUntil(now);
  db.run(
    `UPDATE queues SET depth = depth + 1, next_at = CASE
       WHEN paused = 1 OR in_flight >= concurrency_limit THEN NULL
       ELSE min(coalesce(next_at, ?), max(min(backoff_until, ?), min(rate_until, ?), ?)) END
     WHERE webhook_id = ?`,
    latest,
    latest,
    latest,
    now,
    webhookId,
  );
}

function firstDueAt(db: SqliteDatabase, webhookId: string): number | null {
  const row = db.get<{ due_at: number | null }>(
    'SELECT min(due_at) AS due_at FROM deliveries WHERE webhook_id = ? AND due_at IS NOT NULL',
    webhookId,
  );
  return row?.due_at ?? null;
}

/**
 * Returns when a worker should poll a queue next: when its first delivery is due and may be attempted, but not before `now`, so
 * that a queue that was just served goes behind the waiting ones. Returns null while nothing may be leased.
 */
export function nextPollAt(db: SqliteDatabase, queue: Queue, now: number): number | null {
  if (queue.paused || queue.inFlight >= queue.concurrencyLimit) return null;
  const first = firstDueAt(db, queue.webhookId);
  return first === null ? null : Math.max(first, nextAllowedAt(queue, now));
}

/**
 * Returns the due time that puts a requested delivery ahead of everything that has waited in the queue: just before the
 * first one. Call inside a write.
 */
export function dueFirst(db: SqliteDatabase, webhookId: string, now: number): number {
  return dueAhead(firstDueAt(db, webhookId), now);
}

/** Returns whether nothing is sent to a webhook: it is paused, or its account is suspended. Call inside a write. */
export function isHeld(
  db: SqliteDatabase,
  { accountId, status }: Pick<Webhook, 'accountId' | 'status'>,
): boolean {
  const suspended = 'SELECT 1 FROM accounts WHERE id = ? AND suspended_at IS NOT NULL';
  return status === 'paused' || db.get(suspended, accountId) !== undefined;
}

/** Collects changes to queues, so that each queue is read once and written once. Use inside one write. */
export class QueueUnitOfWork {
  readonly #db: SqliteDatabase;
  readonly #queues = new Map<string, Queue>();

  constructor(db: SqliteDatabase) {
    this.#db = db;
  }

  /** Returns a queue with the changes so far. */
  get(webhookId: string): Queue {
    const known = this.#queues.get(webhookId);
    if (known !== undefined) return known;
    const queue = selectQueue(this.#db, webhookId);
    this.#queues.set(webhookId, queue);
    return queue;
  }

  /** Changes a queue. */
  change(webhookId: string, change: Partial<Queue>): void {
    this.#queues.set(webhookId, { ...this.get(webhookId), ...change });
  }

  /** Writes the changes and when each queue should be polled next. Call it after the deliveries are written. */
  write(now: number): void {
    for (const queue of this.#queues.values()) {
      this.#db.update(queueUpdate, { nextAt: nextPollAt(this.#db, queue, now), ...queue });
    }
  }
}

/** Holds the queues of an account that was suspended, or lets those continue of one that was resumed. Call inside a write. */
export function holdQueues(
  db: SqliteDatabase,
  { id: accountId, suspendedAt }: Account,
  now: number,
) {
  const queues = new QueueUnitOfWork(db);
  const own = db.all<Pick<Webhook, 'id' | 'status'>>(
    'SELECT id, status FROM webhooks WHERE account_id = ? AND deleted_at IS NULL',
    accountId,
  );
  for (const { id, status } of own) {
    const paused = suspendedAt !== null || status === 'paused';
    queues.change(id, { paused, ...(!paused && resumedHealth) });
  }
  queues.write(now);
}

/** Sums up all queues. Reads one row per queue, and the first due delivery of queues that have one. Call inside a read. */
export function selectQueueStatus(db: SqliteDatabase, now: number): QueueStatus {
  const status = db.get<QueueStatus>(
    `SELECT total(depth) AS depth, total(in_flight) AS inFlight, min(
       CASE WHEN paused = 0 AND max(backoff_until, rate_until) <= ? AND depth > in_flight THEN (
         SELECT min(due_at) FROM deliveries
         WHERE webhook_id = queues.webhook_id AND due_at <= ?) END) AS oldestDueAt
     FROM queues`,
    now,
    now,
  );
  return status ?? { depth: 0, inFlight: 0, oldestDueAt: null };
}

/** How many waits are read at a time, and in how many queues, before other work gets a turn: a few milliseconds of work. */
const batch = 250;
const queueBatch = 50;

interface Wait {
  seq: number;
  dueAt: number;
  scheduledAt: number;
}

/** The position in a scan of waits, which are ordered by their end. */
type ScanPosition = Pick<Wait, 'dueAt' | 'seq'>;

/** What a clock change may affect of a queue. */
interface QueueTimes extends Pick<Queue, 'webhookId' | 'failedAt' | 'backoffUntil'> {
  nextAt: number | null;
}

/**
 * Adjusts leases after the clock was set. No lease ends later than a lease that starts now, and the time that a forward jump
 * skipped does not count. Call inside a write.
 */
function adjustLeases(db: SqliteDatabase, expected: number, now: number): void {
  const latest = now + leaseMs;
  db.run('UPDATE deliveries SET lease_until = ? WHERE lease_until > ?', latest, latest);
  if (now <= expected) return;
  db.run(
    'UPDATE deliveries SET lease_until = min(lease_until + ?, ?) WHERE lease_until > ? AND lease_until < ?',
    now - expected,
    latest,
    expected,
    latest,
  );
}

const waitColumns = `SELECT seq, due_at AS dueAt, scheduled_at AS scheduledAt FROM deliveries INDEXED BY deliveries_due
  WHERE webhook_id = ? AND due_at IS NOT NULL`;

/** Lists the waits of a queue after a position, in the order in which they end. Call inside a read. */
function selectWaits(db: SqliteDatabase, webhookId: string, { dueAt, seq }: ScanPosition): Wait[] {
  // Two range queries: for a row value SQLite uses only the first column to end a range.
  const sameTime = db.all<Wait>(
    `${waitColumns} AND due_at = ? AND seq > ? ORDER BY seq LIMIT ?`,
    webhookId,
    dueAt,
    seq,
    batch,
  );
  const later = db.all<Wait>(
    `${waitColumns} AND due_at > ? ORDER BY due_at, seq LIMIT ?`,
    webhookId,
    dueAt,
    batch - sameTime.length,
  );
  return [...sameTime, ...later];
}

/** Restarts waits that started after `now`, unless their deliveries have changed since. Call inside a write. */
function restartWaits(db: SqliteDatabase, ahead: Wait[], now: number): void {
  for (const { seq, dueAt, scheduledAt } of ahead) {
    const wait = Math.max(0, dueAt - scheduledAt);
    db.run(
      'UPDATE deliveries SET due_at = ?, scheduled_at = ? WHERE seq = ? AND due_at = ?',
      now + wait,
      now,
      seq,
      dueAt,
    );
  }
}

/** Returns whether a queue backs off, or is polled, later than it should be. Call inside a read. */
function isBehind(
  db: SqliteDatabase,
  { webhookId, failedAt, backoffUntil, nextAt }: QueueTimes,
  now: number,
): boolean {
  if (failedAt > now || backoffUntil > latestBackoffUntil(now)) return true;
  if (nextAt === null || nextAt <= now) return false;
  const next = nextPollAt(db, selectQueue(db, webhookId), now);
  return next !== null && next < nextAt;
}

/** Shortens the backoff of a queue and updates when it is polled next. Call inside a write. */
function adjustQueue(db: SqliteDatabase, webhookId: string, now: number): void {
  const queues = new QueueUnitOfWork(db);
  queues.change(webhookId, alignHealth(queues.get(webhookId), now));
  queues.write(now);
}

async function adjustWaits(db: SqliteDatabase, queue: QueueTimes, now: number): Promise<void> {
  const { webhookId: id } = queue;
  let position: ScanPosition = { dueAt: now, seq: Number.MAX_SAFE_INTEGER };
  for (let hasMore = true; hasMore; ) {
    const found = await db.read(() => selectWaits(db, id, position));
    const ahead = found.filter(({ scheduledAt }) => scheduledAt > now);
    if (ahead.length > 0) await db.write(() => restartWaits(db, ahead, now));
    position = found.at(-1) ?? position;
    hasMore = found.length === batch;
    if (hasMore) await nextTurn();
  }
  const behind = await db.read(() => isBehind(db, queue, now));
  if (behind) await db.write(() => adjustQueue(db, id, now));
}

/**
 * Adjusts leases, waits and backoff after the clock was set, in small transactions. If nothing needs adjusting, it only
 * reads, in each queue that has pending deliveries. Running it again has no further effect.
 */
export async function adjustToClock(
  db: SqliteDatabase,
  { expected, now }: { expected: number; now: number },
): Promise<void> {
  const latest = now + leaseMs;
  const ahead = 'SELECT 1 FROM deliveries WHERE lease_until > ? LIMIT 1';
  const leasedAhead = await db.read(() => db.get(ahead, latest));
  if (now > expected || leasedAhead !== undefined) {
    await db.write(() => adjustLeases(db, expected, now));
  }
  if (now > expected) return;
  const queues = await db.read(() =>
    db.all<QueueTimes>(
      `SELECT webhook_id AS webhookId, failed_at AS failedAt, backoff_until AS backoffUntil,
         next_at AS nextAt
       FROM queues
       WHERE depth > 0 OR backoff_until > ? OR failed_at > ?`,
      latestBackoffUntil(now),
      now,
    ),
  );
  for (const [index, queue] of queues.entries()) {
    await adjustWaits(db, queue, now);
    if (index % queueBatch === 0) await nextTurn();
  }
}
