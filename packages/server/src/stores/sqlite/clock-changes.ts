import { setImmediate as nextTurn } from 'node:timers/promises';
import { leaseTime } from '../../deliveries/delivery';
import { healthAfterSetback, latestEndOfHold } from '../../deliveries/endpoint-queue';
import type { SqliteDatabase } from './database';
import { ChangingQueues, nextLook, selectQueue } from './queues';

/** How many waits are read at once, and in how many queues, until others get their turn: a few milliseconds' work. */
const batch = 250;
const queuesAtOnce = 50;

/** A wait, by the end of which waits are ordered. */
type Place = Pick<WaitRow, 'due_at' | 'seq'>;

interface WaitRow {
  seq: number;
  due_at: number;
  scheduled_at: number;
}

interface QueueRow {
  webhook_id: string;
  failed_at: number;
  held_until: number;
  next_at: number | null;
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

const waits = `SELECT seq, due_at, scheduled_at FROM deliveries INDEXED BY deliveries_due
  WHERE webhook_id = ? AND due_at IS NOT NULL`;

/** The waits of a queue behind one of them, in the order in which they end. For use inside of a read. */
function selectWaits(db: SqliteDatabase, webhookId: string, { due_at, seq }: Place): WaitRow[] {
  // In two ranges: of a pair of columns SQLite takes only the first for the end of one.
  const sameTime = db.all<WaitRow>(
    `${waits} AND due_at = ? AND seq > ? ORDER BY seq LIMIT ?`,
    webhookId,
    due_at,
    seq,
    batch,
  );
  const later = db.all<WaitRow>(
    `${waits} AND due_at > ? ORDER BY due_at, seq LIMIT ?`,
    webhookId,
    due_at,
    batch - sameTime.length,
  );
  return [...sameTime, ...later];
}

/** Begins waits again that began after `now`, unless something became of them meanwhile. For use inside of a write. */
function restartWaits(db: SqliteDatabase, ahead: WaitRow[], now: number): void {
  for (const { seq, due_at: dueAt, scheduled_at: scheduledAt } of ahead) {
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
    const found = await db.read(() => selectWaits(db, id, place));
    const ahead = found.filter(({ scheduled_at: scheduledAt }) => scheduledAt > now);
    if (ahead.length > 0) await db.write(() => restartWaits(db, ahead, now));
    place = found.at(-1) ?? place;
    more = found.length === batch;
    if (more) await nextTurn();
  }
  const behind = await db.read(() => isBehind(db, queue, now));
  if (behind) await db.write(() => adjustQueue(db, id, now));
}

/**
 * Adjusts leases, waits and holds to a clock that was set, in small transactions. Where nothing is to be adjusted
 * it only reads, in each queue that has something waiting. What was adjusted once does not lie ahead any more.
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
  for (const [index, queue] of queues.entries()) {
    await adjustWaits(db, queue, now);
    if (index % queuesAtOnce === 0) await nextTurn();
  }
}
