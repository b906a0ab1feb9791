import { leaseTime, retryWindow } from '../../deliveries/delivery';
import { healthAfterSetback, latestEndOfHold } from '../../deliveries/endpoint-queue';
import type { SqliteDatabase } from './database';
import { ChangingQueues, nextLook, selectQueue } from './queues';

/** How many waits are looked at in one go: a few milliseconds' work. */
const batch = 250;

interface WaitRow {
  seq: number;
  due_at: number;
  /** When the wait began: at the end of the last attempt, or when the delivery was queued or replayed. */
  began_at: number;
}

interface QueueRow {
  webhook_id: string;
  failed_at: number;
  held_until: number;
  next_at: number | null;
}

/** Where a walk through the waits of a queue has come to. */
interface Place {
  due_at: number;
  seq: number;
}

/**
 * Holds leases to what they may last, by a clock that was set: none ends later than a lease from now, and what a
 * clock that was set forward skipped does not count. For use inside of a write.
 */
function adjustLeases(db: SqliteDatabase, expected: number, now: number): void {
  const latest = now + leaseTime;
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

function selectWaits(db: SqliteDatabase, webhookId: string, { due_at, seq }: Place): WaitRow[] {
  return db.all<WaitRow>(
    `SELECT seq, due_at, coalesce(
       (SELECT started_at + duration FROM attempts
        WHERE tries > 0 AND delivery_seq = deliveries.seq AND number = deliveries.attempts),
       deadline_at - ${retryWindow}) AS began_at
     FROM deliveries WHERE webhook_id = ? AND (due_at, seq) > (?, ?)
     ORDER BY due_at, seq LIMIT ?`,
    webhookId,
    due_at,
    seq,
    batch,
  );
}

/** Shortens waits that began after `now`, unless something became of them meanwhile. For use inside of a write. */
function shortenWaits(db: SqliteDatabase, waits: WaitRow[], now: number): void {
  for (const { seq, due_at: dueAt, began_at: beganAt } of waits) {
    const wait = Math.max(0, dueAt - beganAt);
    db.run('UPDATE deliveries SET due_at = ? WHERE seq = ? AND due_at = ?', now + wait, seq, dueAt);
  }
}

/** Whether a queue is held, or is to be looked into, later than it should be. For use inside of a read. */
function isBehind(db: SqliteDatabase, row: QueueRow, now: number): boolean {
  if (row.failed_at > now || row.held_until > latestEndOfHold(now)) return true;
  const { next_at: nextAt } = row;
  if (nextAt === null || nextAt <= now) return false;
  const next = nextLook(db, selectQueue(db, row.webhook_id), now);
  return next !== null && next < nextAt;
}

/** Shortens the hold of a queue, and notes when a worker is to look into it next. For use inside of a write. */
function adjustQueue(db: SqliteDatabase, webhookId: string, now: number): void {
  const queues = new ChangingQueues(db);
  queues.change(webhookId, healthAfterSetback(queues.of(webhookId), now));
  queues.write(now);
}

async function adjustWaits(db: SqliteDatabase, queue: QueueRow, now: number): Promise<void> {
  const { webhook_id: id } = queue;
  let place: Place = { due_at: now, seq: Number.MAX_SAFE_INTEGER };
  for (let more = true; more; ) {
    const waits = await db.read(() => selectWaits(db, id, place));
    const ahead = waits.filter(({ began_at: beganAt }) => beganAt > now);
    if (ahead.length > 0) await db.write(() => shortenWaits(db, ahead, now));
    place = waits.at(-1) ?? place;
    more = waits.length === batch;
  }
  const behind = await db.read(() => isBehind(db, queue, now));
  if (behind) await db.write(() => adjustQueue(db, id, now));
}

/**
 * Adjusts leases, waits and holds to a clock that was set, in small transactions. Where nothing is to be adjusted
 * it only reads: a look into each queue that has something waiting.
 */
export async function adjustToClock(
  db: SqliteDatabase,
  { expected, now }: { expected: number; now: number },
): Promise<void> {
  const latest = now + leaseTime;
  const ahead = 'SELECT 1 FROM deliveries WHERE lease_until > ? LIMIT 1';
  const leasedAhead = await db.read(() => db.get(ahead, latest));
  if (now > expected || leasedAhead !== undefined) {
    await db.write(() => adjustLeases(db, expected, now));
  }
  if (now > expected) return;
  const queues = await db.read(() =>
    db.all<QueueRow>(
      `SELECT webhook_id, failed_at, held_until, next_at FROM queues
       WHERE depth > 0 OR held_until > ? OR failed_at > ?`,
      latestEndOfHold(now),
      now,
    ),
  );
  for (const queue of queues) await adjustWaits(db, queue, now);
}
