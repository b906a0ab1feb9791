import { fanOut } from '../../deliveries/fan-out';
import type { DomainEvent, KeptEvent } from '../../events/domain-event';
import { firstPlace } from '../../events/event-place';
import type { EventStore, LoggedEvent } from '../../events/event-store';
import type { Moment } from '../../moment';
import type { SqliteDatabase } from './database';
import { insertDelivery } from './deliveries';
import { insertNotification } from './notifications';

/** Writes an event, in nobody's log yet. For use inside of a write. */
export function insertEvent(db: SqliteDatabase, event: KeptEvent): void {
  db.run(
    'INSERT INTO events (id, kind, order_id, body, created_at) VALUES (?, ?, ?, ?, ?)',
    event.id,
    event.kind,
    event.orderId,
    event.body,
    event.createdAt,
  );
}

function logEvent(db: SqliteDatabase, { id, createdAt, recipients }: DomainEvent): void {
  for (const accountId of recipients) {
    db.run(
      `INSERT INTO account_events (seq, account_id, event_id)
       VALUES (max(?, coalesce((SELECT max(seq) FROM account_events), 0) + 1), ?, ?)`,
      firstPlace(createdAt),
      accountId,
      id,
    );
  }
}

/** The webhooks of an account that subscribe to a kind of event, those that are paused included. */
function selectSubscribed(db: SqliteDatabase, accountId: string, kind: string): string[] {
  return db
    .all<{ webhook_id: string }>(
      'SELECT webhook_id FROM webhook_events WHERE account_id = ? AND kind = ?',
      accountId,
      kind,
    )
    .map((row) => row.webhook_id);
}

/**
 * Writes events with all that follows from them: a line in the log of each account that may see it, a
 * notification for each, and a delivery for each of their webhooks that subscribes to the kind. For use
 * inside of a write.
 *
 * @returns How many deliveries were queued.
 */
export function insertEvents(db: SqliteDatabase, events: DomainEvent[], moment: Moment): number {
  let queued = 0;
  for (const event of events) {
    insertEvent(db, event);
    logEvent(db, event);
    const subscribed = (accountId: string, kind: string) => selectSubscribed(db, accountId, kind);
    const { notifications, deliveries } = fanOut(event, subscribed, moment);
    for (const notification of notifications) insertNotification(db, notification);
    for (const delivery of deliveries) insertDelivery(db, delivery);
    queued += deliveries.length;
  }
  return queued;
}

/** The log of events in SQLite. One transaction writes at a time, so that places follow the commits. */
export function sqliteEvents(db: SqliteDatabase): EventStore {
  return {
    readEvents: (accountId, after, limit) =>
      db.read(() =>
        db.all<LoggedEvent>(
          `SELECT account_events.seq, events.id, events.body, events.created_at AS createdAt
           FROM account_events JOIN events ON events.id = account_events.event_id
           WHERE account_events.account_id = ? AND account_events.seq > ?
           ORDER BY account_events.seq LIMIT ?`,
          accountId,
          after,
          limit,
        ),
      ),
  };
}
