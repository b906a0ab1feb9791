import type { ClaimedDelivery, Delivery } from '../../deliveries/delivery';
import type { DeliveryStore } from '../../deliveries/delivery-store';
import { claimDue, releaseOverdueLeases } from './claims';
import { adjustToClock } from './clock-changes';
import type { SqliteDatabase } from './database';
import { portionsOf, writeOutcomes } from './outcomes';
import { selectQueueStatus } from './queue-status';
import { ChangingQueues, growQueue } from './queues';

/** How many deliveries are claimed in one go, at most: a millisecond's work or two. */
const claimsAtOnce = 64;

/** Writes a new delivery into its webhook's queue. For use inside of a write. */
export function insertDelivery(db: SqliteDatabase, delivery: Delivery): void {
  db.run(
    `INSERT INTO deliveries (id, event_id, webhook_id, kind, test, state, attempts, tries, due_at,
       scheduled_at, deadline_at, lease_token, lease_until, lease_counts, last_status, last_error,
       created_at, finished_at)
     VALUES (?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?, NULL, NULL, 0, NULL, NULL, ?, NULL)`,
    delivery.id,
    delivery.eventId,
    delivery.webhookId,
    delivery.kind,
    Number(delivery.test),
    delivery.state,
    delivery.nextAttemptAt,
    delivery.createdAt,
    delivery.deadlineAt,
    delivery.createdAt,
  );
  growQueue(db, delivery.webhookId, delivery.nextAttemptAt);
}

/** The queues of deliveries in SQLite. */
export function sqliteDeliveries(db: SqliteDatabase): DeliveryStore {
  return {
    async claimDue(request) {
      const writes: Promise<ClaimedDelivery[]>[] = [];
      for (let left = request.limit; left > 0; left -= claimsAtOnce) {
        const most = Math.min(left, claimsAtOnce);
        writes.push(
          db.writeFleeting(() => {
            if (left === request.limit) releaseOverdueLeases(db, request.now);
            return claimDue(db, request, most);
          }),
        );
      }
      const results = await Promise.allSettled(writes);
      const claimed = results.flatMap((result) =>
        result.status === 'fulfilled' ? result.value : [],
      );
      const failed = results.find((result) => result.status === 'rejected');
      // What was claimed is in this worker's hands, whatever became of the rest.
      if (claimed.length === 0 && failed !== undefined) throw failed.reason;
      return claimed;
    },

    async recordAttempts(outcomes, now) {
      const writes = portionsOf(outcomes).map((portion) =>
        db.write(() => writeOutcomes(db, portion, now)),
      );
      for (const write of await Promise.allSettled(writes)) {
        if (write.status === 'rejected') throw write.reason;
      }
    },

    async beginAnew(now) {
      await adjustToClock(db, { expected: now, now });
      await db.write(() => {
        db.run('UPDATE deliveries SET lease_counts = 0 WHERE lease_until IS NOT NULL');
        const busy = db.all<{ webhook_id: string }>(
          'SELECT webhook_id FROM queues WHERE in_flight > 0',
        );
        const queues = new ChangingQueues(db);
        for (const { webhook_id: id } of busy) queues.change(id, { inFlight: 0 });
        queues.write(now);
      });
    },

    adjustToClock: (clock) => adjustToClock(db, clock),

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
