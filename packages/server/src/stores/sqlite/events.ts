import { fanOut, type Subscriber } from '@tradepost/domain/deliveries/delivery';
import type { OpenDeliveries } from '@tradepost/domain/deliveries/open-deliveries';
import { type DomainEvent, firstSequenceAt } from '@tradepost/domain/events/event';
import type { EventStore, LoggedEvent } from '@tradepost/domain/events/event-log';
import type { CommandContext } from '@tradepost/domain/kernel/context';
import { events as eventTable, notifications as notificationTable } from '../records/tables';
import { SearchScheduler } from '../search-scheduler';
import type { SqliteDatabase } from './database';
import { insertDelivery } from './deliveries';

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

/** Lists the webhooks of accounts that subscribe to an event type, including paused ones, in the order of the accounts. */
function selectSubscribers(
  db: SqliteDatabase,
  accountIds: string[],
  eventType: string,
): Subscriber[] {
  const list = Array.from(accountIds, () => '?').join(', ');
  const rows = db.tuples<[accountId: string, webhookId: string]>(
    `SELECT account_id, webhook_id FROM webhook_events WHERE account_id IN (${list}) AND event_type = ?`,
    ...accountIds,
    eventType,
  );
  if (rows.length === 0) return [];
  return accountIds.flatMap((accountId) =>
    rows.filter((row) => row[0] === accountId).map(([, webhookId]) => ({ accountId, webhookId })),
  );
}

/** Counts the pending deliveries of accounts that queue some, once a second for each. Reads a row for each of their webhooks. */
function countOpen(db: SqliteDatabase, subscribers: readonly Subscriber[], now: number): void {
  for (const { accountId } of subscribers) {
    if (!db.deliveryRoom.isUnknown(accountId, now)) continue;
    const counted = db.get<OpenDeliveries>(
      `SELECT max_open_deliveries AS "limit", (
         SELECT coalesce(sum(depth), 0) FROM webhooks JOIN queues ON webhook_id = webhooks.id
         WHERE account_id = accounts.id AND deleted_at IS NULL) AS open
       FROM accounts WHERE id = ?`,
      accountId,
    );
    if (counted !== undefined) db.deliveryRoom.set(accountId, counted, now);
  }
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
    db.insert(eventTable, event);
    logEvent(db, event);
    const findSubscribers = (accountIds: string[], eventType: string) => {
      const subscribers = selectSubscribers(db, accountIds, eventType);
      countOpen(db, subscribers, context.now);
      return subscribers;
    };
    const { take } = db.deliveryRoom;
    const { notifications, deliveries } = fanOut(event, findSubscribers, take, context);
    db.insertAll(notificationTable, notifications);
    for (const delivery of deliveries) insertDelivery(db, delivery);
    queued += deliveries.filter(({ state }) => state === 'pending').length;
  }
  return queued;
}

/** All events of an order, which are few, and their places in the log of the account, if they have one there. */
export const eventsOfOrder = `SELECT seq, id, eventType, body, createdAt, actorId, actorKind FROM (
    SELECT id, event_type AS eventType, body, created_at AS createdAt,
      actor_id AS actorId, actor_kind AS actorKind,
      (SELECT seq FROM account_events WHERE event_id = events.id AND account_id = ?) AS seq
    FROM events WHERE order_id = ?)`;

const loggedEvents = `SELECT account_events.seq, events.id, events.event_type AS eventType, events.body,
    events.created_at AS createdAt, events.actor_id AS actorId, events.actor_kind AS actorKind
  FROM account_events JOIN events ON events.id = account_events.event_id`;

/** How far the log of each account goes, and how far it was pruned. */
export const selectEventLogs = `SELECT account_id, max(seq) AS last_seq, max(pruned_seq) AS pruned_seq FROM (
    SELECT account_id, seq, 0 AS pruned_seq FROM account_events
    UNION ALL SELECT account_id, pruned_seq, pruned_seq FROM event_logs)
  GROUP BY account_id ORDER BY account_id`;

/** Removes the entries of logs for events that are removed, and remembers in each log how far it was pruned. Call inside a write. */
export function removeLogEntries(db: SqliteDatabase, eventIds: readonly string[]): void {
  const prunedTo = new Map<string, number>();
  for (const eventId of eventIds) {
    const removed = db.tuples<[accountId: string, seq: number]>(
      'DELETE FROM account_events WHERE event_id = ? RETURNING account_id, seq',
      eventId,
    );
    for (const [accountId, seq] of removed) {
      prunedTo.set(accountId, Math.max(seq, prunedTo.get(accountId) ?? 0));
    }
  }
  for (const entry of prunedTo) {
    db.run(
      `INSERT INTO event_logs (account_id, pruned_seq) VALUES (?, ?)
       ON CONFLICT (account_id) DO UPDATE SET pruned_seq = max(pruned_seq, excluded.pruned_seq)`,
      ...entry,
    );
  }
}

/** Creates the store of the event log. Only one transaction writes at a time, so sequence numbers follow the commits. */
export function createSqliteEventStore(db: SqliteDatabase): EventStore {
  const scheduler = new SearchScheduler();
  const selectPrunedTo = (accountId: string) =>
    db.get<{ prunedTo: number }>(
      'SELECT pruned_seq AS prunedTo FROM event_logs WHERE account_id = ?',
      accountId,
    )?.prunedTo ?? 0;

  const readRange = (
    accountId: string,
    orderId: string | undefined,
    range: string,
    bound: number,
    limit: number,
  ) =>
    db.read(() =>
      orderId === undefined
        ? db.all<LoggedEvent>(
            `${loggedEvents} WHERE account_id = ? AND ${range}`,
            accountId,
            bound,
            limit,
          )
        : db.all<LoggedEvent>(`${eventsOfOrder} WHERE ${range}`, accountId, orderId, bound, limit),
    );

  return {
    findLimits: (accountId) =>
      db.read(() => {
        const prunedTo = selectPrunedTo(accountId);
        const { last } = db.get<{ last: number | null }>(
          'SELECT max(seq) AS last FROM account_events WHERE account_id = ?',
          accountId,
        ) ?? { last: 0 };
        return { last: Math.max(last ?? 0, prunedTo), prunedTo };
      }),

    findPrunedTo: (accountId) => db.readTogether(() => selectPrunedTo(accountId)),

    readEvents: (accountId, after, limit, orderId) =>
      readRange(accountId, orderId, 'seq > ? ORDER BY seq LIMIT ?', after, limit),

    readEarlierEvents: (accountId, upTo, limit, orderId) =>
      readRange(accountId, orderId, 'seq <= ? ORDER BY seq DESC LIMIT ?', upTo, limit),

    searchEvents: (accountId, { after, upTo, newestFirst, size }, filter, limit) =>
      db.read(() => {
        const direction = newestFirst ? 'DESC' : 'ASC';
        const stretch = db.get<{ size: number; end: number | null }>(
          `SELECT count(*) AS size, ${newestFirst ? 'min' : 'max'}(seq) AS "end" FROM (
             SELECT seq FROM account_events WHERE account_id = ? AND seq > ? AND seq <= ?
             ORDER BY seq ${direction} LIMIT ?)`,
          accountId,
          after,
          upTo,
          size,
        );
        const end = stretch?.end ?? (newestFirst ? upTo : after);
        const { eventType = null, since = -1, until = Number.MAX_SAFE_INTEGER } = filter;
        const events = db.all<LoggedEvent>(
          `${loggedEvents} WHERE account_id = ? AND seq > ? AND seq <= ?
             AND (? IS NULL OR event_type = ?) AND created_at >= ? AND created_at < ?
           ORDER BY seq ${direction} LIMIT ?`,
          accountId,
          newestFirst ? end - 1 : after,
          newestFirst ? upTo : end,
          eventType,
          eventType,
          since,
          until,
          limit,
        );
        return { events, end, isOver: (stretch?.size ?? 0) < size };
      }),

    runSearch: (accountId, step, signal) => scheduler.run(accountId, step, signal),

    findEvent: (accountId, id) =>
      db.read(
        () =>
          db.get<LoggedEvent>(
            `${loggedEvents} WHERE account_events.event_id = ? AND account_id = ?`,
            id,
            accountId,
          ) ?? null,
      ),
  };
}
