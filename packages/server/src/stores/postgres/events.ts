import { fanOut, type Subscriber } from '@tradepost/domain/deliveries/delivery';
import type { DeliveryRoom, OpenDeliveries } from '@tradepost/domain/deliveries/open-deliveries';
import { type DomainEvent, firstSequenceAt } from '@tradepost/domain/events/event';
import type { EventStore, LoggedEvent, LogLimits } from '@tradepost/domain/events/event-log';
import type { CommandContext } from '@tradepost/domain/kernel/context';
import { accountEvents, events as eventTable, notifications } from '../records/tables';
import { SearchScheduler } from '../search-scheduler';
import type { PostgresDatabase, Transaction } from './database';
import { insertDeliveries } from './deliveries';
import { maxNumbered, numberEntries } from './event-numbers';
import type { WriteSet } from './write-set';

/** Adds events to the logs of their recipients, without sequence numbers. */
function insertLogEntries(writes: WriteSet, events: readonly DomainEvent[]): void {
  const entries = events.flatMap(({ id: eventId, createdAt, recipients }) =>
    recipients.map((accountId) => ({ eventId, accountId, createdAt })),
  );
  // Rows of one statement get their positions in its order.
  writes.insert(accountEvents, entries);
}

/** A webhook that subscribes to an event type. */
export interface Subscription {
  accountId: string;
  eventType: string;
  webhookId: string;
}

/** The subscriptions of some accounts, including those of paused webhooks. */
export interface Subscriptions {
  /** The accounts, which exist. */
  accountIds: string[];
  subscriptions: Subscription[];
}

/**
 * A query for accounts and their subscriptions, in one row.
 *
 * @param accounts A query for IDs that may be null, or lead nowhere.
 * @param further Further expressions to select.
 */
export function accountsWithSubscriptions(accounts: string, further = ''): string {
  return `WITH wanted AS MATERIALIZED (${accounts})
    SELECT ARRAY(SELECT id FROM accounts WHERE id IN (SELECT * FROM wanted)) AS "accountIds",
      (SELECT coalesce(json_agg(json_build_object('accountId', e.account_id, 'eventType', e.event_type,
          'webhookId', e.webhook_id) ORDER BY e.webhook_id), '[]')
        FROM webhook_events AS e WHERE e.account_id IN (SELECT * FROM wanted)) AS subscriptions${further}`;
}

const selectSubscriptions = accountsWithSubscriptions('SELECT unnest($1::text[])');

/**
 * Completes what is known about the recipients of events.
 *
 * @throws Error if a recipient does not exist. Accounts are never deleted, so this needs no lock, as a foreign key would.
 */
async function findSubscriptions(
  tx: Transaction,
  events: readonly DomainEvent[],
  known: Subscriptions,
): Promise<Subscription[]> {
  const recipients = new Set(events.flatMap((event) => event.recipients));
  const missing = [...recipients].filter((id) => !known.accountIds.includes(id));
  if (missing.length === 0) return known.subscriptions;
  const found = await tx.row<Subscriptions>(selectSubscriptions, missing);
  const unknown = missing.find((id) => !found?.accountIds.includes(id));
  if (unknown !== undefined) throw new Error(`Account ${unknown} does not exist.`);
  return [...known.subscriptions, ...(found?.subscriptions ?? [])];
}

/** Events of one change, with what they cause. */
export interface CausedEvents {
  events: readonly DomainEvent[];
  context: CommandContext;
  /** What their deliveries store; null if the change is not traced. */
  traceContext: string | null;
}

/**
 * Adds the inserts of events and what they cause: an entry in the event log and a notification for each recipient, and a delivery
 * for each of their webhooks that subscribes to the event type.
 *
 * @param known What was read about probable recipients.
 * @param room How many deliveries their accounts may still queue.
 * @returns How many deliveries are queued by each change.
 */
export async function addEvents(
  tx: Transaction,
  writes: WriteSet,
  changes: readonly CausedEvents[],
  known: Subscriptions,
  room: DeliveryRoom,
): Promise<number[]> {
  const events = changes.flatMap((change) => change.events);
  if (events.length === 0) return changes.map(() => 0);
  const subscriptions = await findSubscriptions(tx, events, known);
  await countOpen(tx, room, subscriptions, Math.max(...changes.map(({ context }) => context.now)));
  const subscribers = groupSubscribers(subscriptions);
  const findSubscribers = (accountIds: string[], type: string) =>
    accountIds.flatMap((id) => subscribers.get(`${id} ${type}`) ?? []);
  const caused = changes.map(({ events: own, context, traceContext }) => {
    const parts = own.map((event) => fanOut(event, findSubscribers, room.take, context));
    return {
      notifications: parts.flatMap((part) => part.notifications),
      deliveries: parts.flatMap((part) => part.deliveries),
      traceContext,
    };
  });
  writes.insert(eventTable, events);
  insertLogEntries(writes, events);
  writes.insert(
    notifications,
    caused.flatMap((one) => one.notifications),
  );
  insertDeliveries(writes, caused);
  return caused.map(
    ({ deliveries }) => deliveries.filter(({ state }) => state === 'pending').length,
  );
}

/**
 * Counts the pending deliveries of accounts that queue some, once a second for each. Reads a row for each of their webhooks. Those
 * that only signals tell of are not counted: usually a few milliseconds of them.
 */
async function countOpen(
  tx: Transaction,
  room: DeliveryRoom,
  subscriptions: readonly Subscription[],
  now: number,
): Promise<void> {
  const accountIds = new Set(subscriptions.map(({ accountId }) => accountId));
  const unknown = [...accountIds].filter((id) => room.isUnknown(id, now));
  if (unknown.length === 0) return;
  const counted = await tx.rows<OpenDeliveries & { id: string }>(
    `SELECT id, max_open_deliveries AS "limit", (
       SELECT coalesce(sum(depth), 0)::bigint FROM webhooks JOIN queues ON webhook_id = webhooks.id
       WHERE account_id = accounts.id AND deleted_at IS NULL) AS open
     FROM accounts WHERE id = ANY ($1::text[])`,
    unknown,
  );
  for (const { id, ...open } of counted) room.set(id, open, now);
}

/** Returns the webhooks of each account and event type. */
function groupSubscribers(subscriptions: readonly Subscription[]): Map<string, Subscriber[]> {
  const groups = new Map<string, Subscriber[]>();
  for (const { accountId, eventType, webhookId } of subscriptions) {
    const name = `${accountId} ${eventType}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [{ accountId, webhookId }]);
    else group.push({ accountId, webhookId });
  }
  return groups;
}

/** Returns which of some events were committed, by an earlier run of the changes that create them. */
export async function findCommitted(tx: Transaction, eventIds: string[]): Promise<Set<string>> {
  if (eventIds.length === 0) return new Set();
  const rows = await tx.rows<{ id: string }>(
    'SELECT id FROM events WHERE id = ANY ($1::text[])',
    eventIds,
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * All events of an order, which are few, and their numbers in the log of the account, if they are in it. A join would let the
 * planner read the whole log instead, in the order of its numbers.
 */
const eventsOfOrder = `SELECT seq, id, "eventType", body, "createdAt", "actorId", "actorKind" FROM (
    SELECT id, event_type AS "eventType", body, created_at AS "createdAt",
      actor_id AS "actorId", actor_kind AS "actorKind",
      (SELECT seq FROM account_events WHERE event_id = events.id AND account_id = $1) AS seq
    FROM events WHERE order_id = $4) AS of_order`;

/** The columns of an event, which has the name `e`, without its number. */
export const eventColumns = `e.id, e.event_type AS "eventType", e.body, e.created_at AS "createdAt",
  e.actor_id AS "actorId", e.actor_kind AS "actorKind"`;

/**
 * Locks the logs of some events, in one order, so that two processes do not wait for each other, before their entries are removed:
 * readers that number entries lock the log first, too.
 */
const lockLogs = `INSERT INTO event_logs (account_id, last_seq)
  SELECT account_id, 0 FROM account_events WHERE event_id = ANY ($1::text[]) GROUP BY account_id ORDER BY account_id
  ON CONFLICT (account_id) DO UPDATE SET last_seq = event_logs.last_seq`;

/** Removes the entries of logs for events that are removed, and remembers in each log how far it was pruned. */
export async function removeLogEntries(tx: Transaction, eventIds: string[]): Promise<void> {
  if (eventIds.length === 0) return;
  tx.send(lockLogs, eventIds);
  // What no one has read has no number. Its readers have a position before it, so it gets one now.
  tx.send(
    `WITH removed AS (DELETE FROM account_events WHERE event_id = ANY ($1::text[]) RETURNING account_id, seq, created_at)
     UPDATE event_logs AS l SET
       last_seq = greatest(l.last_seq + r.unread, r.last),
       pruned_seq = CASE WHEN r.unread = 1 THEN greatest(l.last_seq + 1, r.last) ELSE greatest(l.pruned_seq, r.last) END
     FROM (SELECT account_id, max(coalesce(seq, created_at * $2::bigint)) AS last, max((seq IS NULL)::int) AS unread
       FROM removed GROUP BY account_id) AS r
     WHERE l.account_id = r.account_id`,
    eventIds,
    firstSequenceAt(1),
  );
  await tx.settled();
}

/** Creates the store of the event log. */
export function createPostgresEventStore(db: PostgresDatabase): EventStore {
  const scheduler = new SearchScheduler();

  /** Numbers all entries that were committed before. */
  async function numberAll(accountId: string): Promise<void> {
    const unnumbered = await db.row(
      'SELECT 1 FROM account_events WHERE account_id = $1 AND seq IS NULL LIMIT 1',
      accountId,
    );
    let numbered = unnumbered === undefined ? 0 : maxNumbered;
    while (numbered === maxNumbered) {
      const entries = await db.write((tx) => numberEntries(tx, [accountId]), {
        isRepeatable: true,
      });
      numbered = entries.length;
    }
  }

  async function findLimits(accountId: string): Promise<LogLimits> {
    const limits = await db.row<LogLimits>(
      'SELECT last_seq AS last, pruned_seq AS "prunedTo" FROM event_logs WHERE account_id = $1',
      accountId,
    );
    return limits ?? { last: 0, prunedTo: 0 };
  }

  async function readRange(
    accountId: string,
    orderId: string | undefined,
    range: string,
    direction: 'ASC' | 'DESC',
    bound: number,
    limit: number,
  ): Promise<LoggedEvent[]> {
    await numberAll(accountId);
    const order = `ORDER BY seq ${direction}`;
    if (orderId !== undefined) {
      return await db.rows<LoggedEvent>(
        `${eventsOfOrder} WHERE ${range} ${order} LIMIT $3`,
        accountId,
        bound,
        limit,
        orderId,
      );
    }
    return await db.rows<LoggedEvent>(
      `SELECT l.seq, ${eventColumns}
       FROM (
         SELECT seq, event_id FROM account_events
         WHERE account_id = $1 AND ${range} ${order} LIMIT $3) AS l
       JOIN events AS e ON e.id = l.event_id
       ${order}`,
      accountId,
      bound,
      limit,
    );
  }

  return {
    async findLimits(accountId) {
      await numberAll(accountId);
      return await findLimits(accountId);
    },

    findPrunedTo: async (accountId) => (await findLimits(accountId)).prunedTo,

    readEvents: (accountId, after, limit, orderId) =>
      readRange(accountId, orderId, 'seq > $2', 'ASC', after, limit),

    readEarlierEvents: (accountId, upTo, limit, orderId) =>
      readRange(accountId, orderId, 'seq <= $2', 'DESC', upTo, limit),

    async searchEvents(accountId, { after, upTo, newestFirst, size }, filter, limit) {
      await numberAll(accountId);
      const order = `ORDER BY seq ${newestFirst ? 'DESC' : 'ASC'}`;
      const stretch = await db.row<{ size: number; end: number | null }>(
        `SELECT count(*) AS size, ${newestFirst ? 'min' : 'max'}(seq) AS "end" FROM (
           SELECT seq FROM account_events WHERE account_id = $1 AND seq > $2 AND seq <= $3
           ${order} LIMIT $4) AS stretch`,
        accountId,
        after,
        upTo,
        size,
      );
      const end = stretch?.end ?? (newestFirst ? upTo : after);
      const { eventType = null, since = -1, until = Number.MAX_SAFE_INTEGER } = filter;
      // OFFSET 0 keeps the filters outside, so that none of them changes which index is used.
      const events = await db.rows<LoggedEvent>(
        `SELECT l.seq, ${eventColumns}
         FROM (
           SELECT seq, event_id FROM account_events
           WHERE account_id = $1 AND seq > $2 AND seq <= $3 ${order} OFFSET 0) AS l
         JOIN events AS e ON e.id = l.event_id
         WHERE ($4::text IS NULL OR e.event_type = $4::text)
           AND e.created_at >= $5::bigint AND e.created_at < $6::bigint
         ${order} LIMIT $7`,
        accountId,
        newestFirst ? end - 1 : after,
        newestFirst ? upTo : end,
        eventType,
        since,
        until,
        limit,
      );
      return { events, end, isOver: (stretch?.size ?? 0) < size };
    },

    runSearch: (accountId, step, signal) => scheduler.run(accountId, step, signal),

    async findEvent(accountId, id) {
      const found = await db.row<Omit<LoggedEvent, 'seq'>>(
        `SELECT ${eventColumns} FROM account_events AS l JOIN events AS e ON e.id = l.event_id
         WHERE l.event_id = $1 AND l.account_id = $2`,
        id,
        accountId,
      );
      return found ?? null;
    },
  };
}
