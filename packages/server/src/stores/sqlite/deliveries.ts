import type { ClaimedDelivery, Delivery } from '../../deliveries/delivery';
import type { DeliveryStore } from '../../deliveries/delivery-store';
import type { SqliteDatabase } from './database';

interface ClaimedRow {
  id: string;
  event_id: string;
  attempts: number;
  deadline_at: number;
  webhook_id: string;
  url: string;
  secret: string;
  body: string;
}

/** Writes a new delivery. For use inside of a write. */
export function insertDelivery(db: SqliteDatabase, delivery: Delivery): void {
  db.run(
    `INSERT INTO deliveries
       (id, event_id, webhook_id, state, attempts, due_at, deadline_at, lease_token, created_at)
     VALUES (?, ?, ?, ?, 0, ?, ?, NULL, ?)`,
    delivery.id,
    delivery.eventId,
    delivery.webhookId,
    delivery.state,
    delivery.nextAttemptAt,
    delivery.deadlineAt,
    delivery.createdAt,
  );
}

/** The queue of deliveries in SQLite. */
export function sqliteDeliveries(db: SqliteDatabase): DeliveryStore {
  return {
    claimDue: ({ now, leaseUntil, token, limit }) =>
      db.write((): ClaimedDelivery[] => {
        const rows = db.all<ClaimedRow>(
          `SELECT deliveries.id, deliveries.event_id, deliveries.attempts, deliveries.deadline_at,
             deliveries.webhook_id, webhooks.url, webhooks.secret, events.body
           FROM deliveries
           JOIN webhooks ON webhooks.id = deliveries.webhook_id
           JOIN events ON events.id = deliveries.event_id
           WHERE deliveries.due_at <= ? ORDER BY deliveries.due_at, deliveries.id LIMIT ?`,
          now,
          limit,
        );
        for (const { id } of rows) {
          db.run(
            'UPDATE deliveries SET due_at = ?, lease_token = ? WHERE id = ?',
            leaseUntil,
            token,
            id,
          );
        }
        return rows.map((row) => ({
          id: row.id,
          eventId: row.event_id,
          token,
          attempts: row.attempts,
          deadlineAt: row.deadline_at,
          webhookId: row.webhook_id,
          url: row.url,
          secret: row.secret,
          body: row.body,
        }));
      }),

    recordAttempts: (outcomes) =>
      db.write(() => {
        for (const { deliveryId, token, number, attempt, state, nextAttemptAt } of outcomes) {
          const stands = db.run(
            `UPDATE deliveries SET state = ?, attempts = ?, due_at = ?, lease_token = NULL
             WHERE id = ? AND lease_token = ?`,
            state,
            number,
            nextAttemptAt,
            deliveryId,
            token,
          );
          if (stands === 0 || attempt === null) continue;
          db.run(
            `INSERT INTO attempts (delivery_id, number, started_at, duration, status, error, excerpt)
             VALUES (?, ?, ?, ?, ?, ?, ?)`,
            deliveryId,
            number,
            attempt.startedAt,
            attempt.duration,
            attempt.status,
            attempt.error,
            attempt.excerpt,
          );
        }
      }),

    nextDueAt: () =>
      db.read(() => {
        const row = db.get<{ due_at: number | null }>(
          'SELECT min(due_at) AS due_at FROM deliveries WHERE due_at IS NOT NULL',
        );
        return row?.due_at ?? null;
      }),
  };
}
