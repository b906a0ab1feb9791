import { fanOut } from '../../deliveries/delivery';
import type { DomainEvent, StoredEvent } from '../../features/events/event';
import { type EventStore, firstSequenceAt, type LoggedEvent } from '../../features/events/event';
import type { CommandContext } from '../../kernel/context';
import type { SqliteDatabase } from './database';
import { insertDelivery } from './deliveries';
import { insertNotification } from './notifications';

/** Inserts an event without adding it to an event log. Call inside a write. */
export function insertEvent(db: SqliteDatabase, event: StoredEvent): void {
  db.run(
    'INSERT INTO events (id, kind, order_id, body, created_at) VALUES (?, ?, ?, ?, ?)',
    event.id,
    event.eventType,
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
      firstSequenceAt(createdAt),
      accountId,
      id,
    );
  }
}

/** Lists the webhooks of an account that subscribe to an event type, including paused ones. */
function selectSubscribers(db: SqliteDatabase, accountId: string, eventType: string): string[] {
  return db
    .all<{ webhook_id: string }>(
      'SELECT webhook_id FROM webhook_events WHERE account_id = ? AND kind = ?',
      accountId,
      eventType,
    )
    .map((row) => row.webhook_id);
}

/**
 * Inserts events and what they cause: an entry in the event log and a notification for each recipient, and a delivery for each
 * of their webhooks that subscribes to the event type. Call inside a write.
 *
 * @returns How many deliveries were queued.
 */
export function insertEvents(
  db: SqliteDatabase,
  events: DomainEvent[],
  context: CommandContext,
): number {
  let queued = 0;
  for (const event of events) {
    insertEvent(db, event);
    logEvent(db, event);
    const findSubscribers = (accountId: string, eventType: string) =>
      selectSubscribers(db, accountId, eventType);
    const { notifications, deliveries } = fanOut(event, findSubscribers, context);
    for (const notification of notifications) insertNotification(db, notification);
    for (const delivery of deliveries) insertDelivery(db, delivery);
    queued += deliveries.length;
  }
  return queued;
}

/** Creates the store of the event log. Only one transaction writes at a time, so sequence numbers follow the commits. */
export function createSqliteEventStore(db: SqliteDatabase): EventStore {
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
