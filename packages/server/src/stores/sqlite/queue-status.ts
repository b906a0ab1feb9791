import type { QueueStatus } from '../../deliveries/delivery-store';
import type { SqliteDatabase } from './database';

interface StatusRow {
  depth: number;
  in_flight: number;
  oldest_due_at: number | null;
}

/** How all queues stand: a row of each, and a look at the head of each that has something to wait for. For use inside of a read. */
export function selectQueueStatus(db: SqliteDatabase, now: number): QueueStatus {
  const row = db.get<StatusRow>(
    `SELECT total(depth) AS depth, total(in_flight) AS in_flight, min(
       CASE WHEN paused = 0 AND held_until <= ? AND depth > in_flight THEN (
         SELECT min(due_at) FROM deliveries
         WHERE webhook_id = queues.webhook_id AND due_at <= ?) END) AS oldest_due_at
     FROM queues`,
    now,
    now,
  );
  return {
    depth: row?.depth ?? 0,
    inFlight: row?.in_flight ?? 0,
    oldestDueAt: row?.oldest_due_at ?? null,
  };
}
