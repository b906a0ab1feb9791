import { type Delivery, endOfAttempt, type Outcome } from '../../deliveries/delivery';
import type { DeliveryStore } from '../../deliveries/delivery-store';
import { healthAfter } from '../../deliveries/endpoint-queue';
import { claimDue, type Hold, readHold, releaseOverdueLeases } from './claims';
import type { SqliteDatabase } from './database';
import { selectQueueStatus } from './queue-status';
import { ChangingQueues, growQueue } from './queues';

/** Writes a new delivery into its webhook's queue. For use inside of a write. */
export function insertDelivery(db: SqliteDatabase, delivery: Delivery): void {
  db.run(
    `INSERT INTO deliveries (id, event_id, webhook_id, kind, test, state, attempts, tries, due_at,
       deadline_at, lease_token, lease_until, lease_counts, last_status, last_error, created_at,
       finished_at)
     VALUES (?, ?, ?, ?, ?, ?, 0, 0, ?, ?, NULL, NULL, 0, NULL, NULL, ?, NULL)`,
    delivery.id,
    delivery.eventId,
    delivery.webhookId,
    delivery.kind,
    Number(delivery.test),
    delivery.state,
    delivery.nextAttemptAt,
    delivery.deadlineAt,
    delivery.createdAt,
  );
  growQueue(db, delivery.webhookId, delivery.nextAttemptAt);
}

/** Writes an outcome if its claim stands, and it is one that `counts` or not. For use inside of a write. */
function updateDelivery(
  db: SqliteDatabase,
  { seq, token }: Hold,
  counts: 0 | 1,
  { number, attempt, state, nextAttemptAt }: Outcome,
  now: number,
): boolean {
  const told = 'last_status = ?, last_error = ?,';
  const seen = attempt === null ? [] : [attempt.status, attempt.error];
  const changed = db.run(
    `UPDATE deliveries SET ${attempt === null ? '' : told} state = ?, tries = tries + ? - attempts,
       attempts = ?, due_at = ?, lease_token = NULL, lease_until = NULL, finished_at = ?
     WHERE seq = ? AND lease_token = ? AND lease_counts = ?`,
    ...seen,
    state,
    number,
    number,
    nextAttemptAt,
    state === 'pending' ? null : now,
    seq,
    token,
    counts,
  );
  return changed > 0;
}

/** Writes an outcome, with what it means for its queue, unless its claim stands no more. For use inside of a write. */
function recordOutcome(
  db: SqliteDatabase,
  queues: ChangingQueues,
  outcome: Outcome,
  now: number,
): void {
  const hold = readHold(outcome.token);
  if (hold === null) return;
  // Nearly every claim counts: the other kind outlived the worker that made it.
  const counts = ([1, 0] as const).find((kind) => updateDelivery(db, hold, kind, outcome, now));
  if (counts === undefined) return;
  insertAttempt(db, hold.seq, outcome);
  const queue = queues.of(hold.webhookId);
  const { attempt, state } = outcome;
  queues.change(hold.webhookId, {
    inFlight: queue.inFlight - counts,
    depth: queue.depth - (state === 'pending' ? 0 : 1),
    ...(attempt !== null && healthAfter(queue, endOfAttempt(attempt))),
  });
}

function insertAttempt(db: SqliteDatabase, deliverySeq: number, outcome: Outcome): void {
  const { attempt, number } = outcome;
  if (attempt === null) return;
  db.run(
    `INSERT INTO attempts
       (delivery_seq, number, started_at, duration, url, headers, status, error, excerpt)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    deliverySeq,
    number,
    attempt.startedAt,
    attempt.duration,
    attempt.url,
    JSON.stringify(attempt.headers),
    attempt.status,
    attempt.error,
    attempt.excerpt,
  );
}

/** The queues of deliveries in SQLite. */
export function sqliteDeliveries(db: SqliteDatabase): DeliveryStore {
  return {
    claimDue: (request) =>
      db.writeFleeting(() => {
        releaseOverdueLeases(db, request.now);
        return claimDue(db, request);
      }),

    recordAttempts: (outcomes, now) =>
      db.write(() => {
        const queues = new ChangingQueues(db);
        for (const outcome of outcomes) recordOutcome(db, queues, outcome, now);
        queues.write(now);
      }),

    beginAnew: (now) =>
      db.write(() => {
        db.run('UPDATE deliveries SET lease_counts = 0 WHERE lease_until IS NOT NULL');
        const busy = db.all<{ webhook_id: string }>(
          'SELECT webhook_id FROM queues WHERE in_flight > 0',
        );
        const queues = new ChangingQueues(db);
        for (const { webhook_id: id } of busy) queues.change(id, { inFlight: 0 });
        queues.write(now);
      }),

    nextDueAt: () =>
      db.read(() => {
        const row = db.get<{ next_at: number | null; lease_until: number | null }>(
          `SELECT (SELECT min(next_at) FROM queues WHERE next_at IS NOT NULL) AS next_at,
             (SELECT min(lease_until) FROM deliveries WHERE lease_until IS NOT NULL) AS lease_until`,
        );
        const times = [row?.next_at, row?.lease_until].filter((time) => typeof time === 'number');
        return times.length === 0 ? null : Math.min(...times);
      }),

    failOverdue: ({ now, limit }) =>
      db.write(() => {
        const failed = db.all<{ webhook_id: string }>(
          `UPDATE deliveries SET state = 'failed', due_at = NULL, finished_at = ? WHERE seq IN (
             SELECT seq FROM deliveries
             WHERE state = 'pending' AND deadline_at < ? AND lease_until IS NULL
             ORDER BY deadline_at LIMIT ?)
           RETURNING webhook_id`,
          now,
          now,
          limit,
        );
        const queues = new ChangingQueues(db);
        for (const { webhook_id: id } of failed) {
          queues.change(id, { depth: queues.of(id).depth - 1 });
        }
        queues.write(now);
        return failed.length;
      }),

    queueStatus: (now) => db.read(() => selectQueueStatus(db, now)),
  };
}
