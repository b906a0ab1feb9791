import {
  type EndpointHealth,
  endOfHold,
  latestEndOfHold,
  newEndpointHealth,
} from '../../deliveries/endpoint-queue';
import type { SqliteDatabase } from './database';

interface QueueRow {
  webhook_id: string;
  depth: number;
  in_flight: number;
  paused: number;
  allowance: number;
  failures: number;
  failed_at: number;
  held_until: number;
  next_at: number | null;
}

/** One endpoint's queue: how it fares, and what of it is in workers' hands. */
export interface Queue extends EndpointHealth {
  webhookId: string;
  /** Pending deliveries, those in workers' hands included. */
  depth: number;
  /** Deliveries in workers' hands. */
  inFlight: number;
  paused: boolean;
}

function readQueue(row: QueueRow): Queue {
  return {
    webhookId: row.webhook_id,
    depth: row.depth,
    inFlight: row.in_flight,
    paused: row.paused === 1,
    allowance: row.allowance,
    failures: row.failures,
    failedAt: row.failed_at,
    heldUntil: row.held_until,
  };
}

/** Writes the queue of a new webhook. For use inside of a write. */
export function insertQueue(db: SqliteDatabase, webhookId: string, paused: boolean): void {
  const { allowance, failures, failedAt, heldUntil } = newEndpointHealth;
  db.run(
    `INSERT INTO queues
       (webhook_id, depth, in_flight, paused, allowance, failures, failed_at, held_until, next_at)
     VALUES (?, 0, 0, ?, ?, ?, ?, ?, NULL)`,
    webhookId,
    Number(paused),
    allowance,
    failures,
    failedAt,
    heldUntil,
  );
}

/** The queue of a webhook. For use inside of a read or a write. */
export function selectQueue(db: SqliteDatabase, webhookId: string): Queue {
  const row = db.get<QueueRow>('SELECT * FROM queues WHERE webhook_id = ?', webhookId);
  if (row === undefined) throw new Error(`Webhook ${webhookId} has no queue.`);
  return readQueue(row);
}

/** The webhooks whose queues a worker may take from now, the one first that waited longest. For use inside of a write. */
export function selectReadyQueues(db: SqliteDatabase, now: number, limit: number): string[] {
  return db
    .all<{ webhook_id: string }>(
      'SELECT webhook_id FROM queues WHERE next_at <= ? ORDER BY next_at, webhook_id LIMIT ?',
      now,
      limit,
    )
    .map((row) => row.webhook_id);
}

/** Notes that a delivery was put into a queue, due now. For use inside of a write. */
export function growQueue(db: SqliteDatabase, webhookId: string, now: number): void {
  const latest = latestEndOfHold(now);
  db.run(
    `UPDATE queues SET depth = depth + 1, next_at = CASE
       WHEN paused = 1 OR in_flight >= allowance THEN NULL
       ELSE min(coalesce(next_at, ?), max(min(held_until, ?), ?)) END
     WHERE webhook_id = ?`,
    latest,
    latest,
    now,
    webhookId,
  );
}

function firstDue(db: SqliteDatabase, webhookId: string): number | null {
  const row = db.get<{ due_at: number | null }>(
    'SELECT min(due_at) AS due_at FROM deliveries WHERE webhook_id = ? AND due_at IS NOT NULL',
    webhookId,
  );
  return row?.due_at ?? null;
}

/**
 * When a worker is to look into a queue next: when something in it is due and may be tried, no sooner
 * than now, so that a queue that was served goes behind those that wait. Null while nothing may be taken.
 */
export function nextLook(db: SqliteDatabase, queue: Queue, now: number): number | null {
  if (queue.paused || queue.inFlight >= queue.allowance) return null;
  const first = firstDue(db, queue.webhookId);
  return first === null ? null : Math.max(first, endOfHold(queue, now));
}

/** What waits for no longer than this is not worth overtaking, in milliseconds. */
const shortWait = 1_000;

/**
 * When something is to be due that somebody asks for now, so that it comes before all that has waited in the queue: a
 * little before the head of it. For use inside of a write.
 */
export function dueFirst(db: SqliteDatabase, webhookId: string, now: number): number {
  const head = firstDue(db, webhookId);
  return head === null || head > now - shortWait ? now : head - 1;
}

/** Queues while they are changed, each read once and written once. For use inside of one write. */
export class ChangingQueues {
  readonly #db: SqliteDatabase;
  readonly #queues = new Map<string, Queue>();

  constructor(db: SqliteDatabase) {
    this.#db = db;
  }

  /** A queue as it is by now. */
  of(webhookId: string): Queue {
    const known = this.#queues.get(webhookId);
    if (known !== undefined) return known;
    const queue = selectQueue(this.#db, webhookId);
    this.#queues.set(webhookId, queue);
    return queue;
  }

  /** Changes a queue. */
  change(webhookId: string, change: Partial<Queue>): void {
    this.#queues.set(webhookId, { ...this.of(webhookId), ...change });
  }

  /** Writes what was changed, and when each queue is to be looked into next: after its deliveries were written. */
  write(now: number): void {
    for (const queue of this.#queues.values()) {
      this.#db.run(
        `UPDATE queues SET depth = ?, in_flight = ?, paused = ?, allowance = ?, failures = ?,
           failed_at = ?, held_until = ?, next_at = ? WHERE webhook_id = ?`,
        queue.depth,
        queue.inFlight,
        Number(queue.paused),
        queue.allowance,
        queue.failures,
        queue.failedAt,
        queue.heldUntil,
        nextLook(this.#db, queue, now),
        queue.webhookId,
      );
    }
  }
}
