import { fanOut } from '../../deliveries/delivery';
import type {
  DomainEvent,
  EventStore,
  LoggedEvent,
  StoredEvent,
} from '../../features/events/event';
import { firstSequenceAt } from '../../features/events/event';
import type { CommandContext } from '../../kernel/context';
import type { PostgresDatabase, Transaction } from './database';
import { insertDeliveries } from './deliveries';
import { insertNotifications } from './notifications';

/** Inserts events without adding them to an event log. */
export function insertEvents(tx: Transaction, events: StoredEvent[]): void {
  tx.send(
    `INSERT INTO events (id, event_type, order_id, body, created_at)
     SELECT e.id, e."eventType", e."orderId", e.body, e."createdAt"
     FROM json_to_recordset($1::json)
       AS e (id TEXT, "eventType" TEXT, "orderId" TEXT, body TEXT, "createdAt" BIGINT)`,
    JSON.stringify(
      events.map(({ id, eventType, orderId, body, createdAt }) => ({
        id,
        eventType,
        orderId,
        body,
        createdAt,
      })),
    ),
  );
}

/** Adds events to the logs of their recipients, without sequence numbers. */
function insertLogEntries(tx: Transaction, events: DomainEvent[]): void {
  const entries = events.flatMap(({ id: eventId, createdAt, recipients }) =>
    recipients.map((accountId) => ({ eventId, accountId, createdAt })),
  );
  if (entries.length === 0) return;
  // Rows of one statement get their positions in its order.
  tx.send(
    `INSERT INTO account_events (event_id, account_id, created_at)
     SELECT e."eventId", e."accountId", e."createdAt"
     FROM json_to_recordset($1::json) AS e ("eventId" TEXT, "accountId" TEXT, "createdAt" BIGINT)`,
    JSON.stringify(entries),
  );
}

/** A subscription of an account to an event type; nulls for an account without one. */
interface Subscription {
  accountId: string;
  eventType: string | null;
  webhookId: string | null;
}

/**
 * Lists the subscriptions of the recipients to the types of some events, including paused ones.
 *
 * @throws Error if a recipient does not exist. Accounts are never deleted, so this needs no lock, as a foreign key would.
 */
async function selectSubscriptions(
  tx: Transaction,
  events: DomainEvent[],
): Promise<Subscription[]> {
  const accountIds = [...new Set(events.flatMap(({ recipients }) => recipients))];
  if (accountIds.length === 0) return [];
  const rows = await tx.rows<Subscription>(
    `SELECT accounts.id AS "accountId", e.event_type AS "eventType", e.webhook_id AS "webhookId"
     FROM accounts LEFT JOIN webhook_events AS e
       ON e.account_id = accounts.id AND e.event_type = ANY ($2::text[])
     WHERE accounts.id = ANY ($1::text[])
     ORDER BY e.webhook_id`,
    accountIds,
    [...new Set(events.map(({ eventType }) => eventType))],
  );
  const known = new Set(rows.map(({ accountId }) => accountId));
  const unknown = accountIds.find((id) => !known.has(id));
  if (unknown !== undefined) throw new Error(`Account ${unknown} does not exist.`);
  return rows;
}

/**
 * Writes events and what they cause: an entry in the event log and a notification for each recipient, and a delivery for each of
 * their webhooks that subscribes to the event type.
 *
 * @returns How many deliveries were queued.
 */
export async function writeEvents(
  tx: Transaction,
  events: DomainEvent[],
  context: CommandContext,
): Promise<number> {
  if (events.length === 0) return 0;
  const subscriptions = await selectSubscriptions(tx, events);
  const findSubscribers = (accountIds: string[], type: string) =>
    accountIds.flatMap((id) =>
      subscriptions
        .filter(({ accountId, eventType }) => accountId === id && eventType === type)
        .flatMap(({ webhookId }) => webhookId ?? []),
    );
  const caused = events.map((event) => fanOut(event, findSubscribers, context));
  const deliveries = caused.flatMap((one) => one.deliveries);
  insertEvents(tx, events);
  insertLogEntries(tx, events);
  insertNotifications(
    tx,
    caused.flatMap((one) => one.notifications),
  );
  insertDeliveries(tx, deliveries);
  return deliveries.length;
}

/** How many entries of a log one transaction numbers at most. */
const maxNumbered = 1_000;

/**
 * Numbers entries of an account's log that were committed since it was numbered last. All who do so take turns at the account's
 * row in `event_logs`, and each sees what was committed before its turn. So later commits get higher numbers, a number is visible
 * only together with all lower ones, and a transaction that was rolled back leaves no gap.
 *
 * @returns How many entries it numbered.
 */
async function numberEntries(tx: Transaction, accountId: string): Promise<number> {
  tx.send(
    'INSERT INTO event_logs (account_id, last_seq) VALUES ($1, 0) ON CONFLICT (account_id) DO NOTHING',
    accountId,
  );
  const log = await tx.row<{ lastSeq: number }>(
    'SELECT last_seq AS "lastSeq" FROM event_logs WHERE account_id = $1 FOR UPDATE',
    accountId,
  );
  const entries = await tx.rows<{ eventId: string; createdAt: number }>(
    `SELECT event_id AS "eventId", created_at AS "createdAt" FROM account_events
     WHERE account_id = $1 AND seq IS NULL ORDER BY position LIMIT $2`,
    accountId,
    maxNumbered,
  );
  let seq = log?.lastSeq ?? 0;
  const numbered = entries.map(({ eventId, createdAt }) => {
    seq = Math.max(seq + 1, firstSequenceAt(createdAt));
    return { eventId, seq };
  });
  if (numbered.length === 0) return 0;
  tx.send(
    `UPDATE account_events SET seq = n.seq
     FROM json_to_recordset($2::json) AS n ("eventId" TEXT, seq BIGINT)
     WHERE account_events.account_id = $1 AND account_events.event_id = n."eventId"`,
    accountId,
    JSON.stringify(numbered),
  );
  tx.send('UPDATE event_logs SET last_seq = $2 WHERE account_id = $1', accountId, seq);
  return numbered.length;
}

/** Creates the store of the event log. */
export function createPostgresEventStore(db: PostgresDatabase): EventStore {
  return {
    async readEvents(accountId, after, limit) {
      const unnumbered = await db.row(
        'SELECT 1 FROM account_events WHERE account_id = $1 AND seq IS NULL LIMIT 1',
        accountId,
      );
      let numbered = unnumbered === undefined ? 0 : maxNumbered;
      while (numbered === maxNumbered) {
        numbered = await db.write((tx) => numberEntries(tx, accountId), { isRepeatable: true });
      }
      return await db.rows<LoggedEvent>(
        `SELECT l.seq, events.id, events.body, events.created_at AS "createdAt"
         FROM (
           SELECT seq, event_id FROM account_events
           WHERE account_id = $1 AND seq > $2 ORDER BY seq LIMIT $3) AS l
         JOIN events ON events.id = l.event_id
         ORDER BY l.seq`,
        accountId,
        after,
        limit,
      );
    },
  };
}
