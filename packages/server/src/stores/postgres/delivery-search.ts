import type { DeliveryState } from '@tradepost/domain/deliveries/delivery';
import type { DeliveryFilter, LoggedDelivery } from '@tradepost/domain/deliveries/logged-delivery';
import type { PageKey } from '@tradepost/domain/kernel/pagination';
import { listStates, statusClassConditions } from '../delivery-filter';
import { mergeBounds } from '../page-bounds';
import { loggedDeliveryFields } from '../records/tables';
import type { PostgresDatabase } from './database';
import { Conditions } from './page-range';

interface Page {
  /** The end of the previous page; null for the first page. */
  after: PageKey | null;
  limit: number;
}

/** The webhooks of an account that are not deleted: all, or one. */
function selectWebhookIds(
  conditions: Conditions,
  accountId: string,
  { webhookId }: DeliveryFilter,
): string {
  const one = webhookId === undefined ? '' : `AND id = ${conditions.bind(webhookId)}`;
  return `SELECT id FROM webhooks
    WHERE account_id = ${conditions.bind(accountId)} AND deleted_at IS NULL ${one}`;
}

/** Lists the newest deliveries, newest first: the newest of each webhook in each state, by ranges of one index. */
export function selectPage(
  db: PostgresDatabase,
  accountId: string,
  filter: DeliveryFilter,
  { after, limit }: Page,
): Promise<LoggedDelivery[]> {
  const range = new Conditions().addRange(mergeBounds({ after, since: filter.since }));
  const where = range.sql === '' ? '' : `AND ${range.sql}`;
  const webhookIds = selectWebhookIds(range, accountId, filter);
  const wanted = range.bind(listStates(filter));
  const most = range.bind(limit);
  return db.rows<LoggedDelivery>(
    `SELECT ${loggedDeliveryFields.select}
     FROM (${webhookIds}) AS w CROSS JOIN unnest(${wanted}::text[]) AS s (state)
       CROSS JOIN LATERAL (
         SELECT * FROM deliveries
         WHERE deliveries.webhook_id = w.id AND deliveries.state = s.state ${where}
         ORDER BY created_at DESC, id DESC LIMIT ${most}) AS d
       JOIN queues ON queues.webhook_id = d.webhook_id
     ORDER BY d.created_at DESC, d.id DESC LIMIT ${most}`,
    ...range.values,
  );
}

/** How many deliveries a step of a search scans. */
const stepSize = 5_000;

function newestFirst(one: LoggedDelivery, other: LoggedDelivery): number {
  return other.createdAt - one.createdAt || (other.id > one.id ? 1 : -1);
}

/** Merges two results, each delivery once, because one that was found again may have changed its state. */
function merge(found: LoggedDelivery[], more: LoggedDelivery[], limit: number): LoggedDelivery[] {
  const again = new Set(more.map(({ id }) => id));
  const others = found.filter(({ id }) => !again.has(id));
  return [...others, ...more].sort(newestFirst).slice(0, limit);
}

/** A range of one webhook's deliveries in one state, newest first. */
interface SearchRange {
  webhookId: string;
  state: DeliveryState;
  /** Only older deliveries. */
  after: PageKey | null;
  /** The last delivery, inclusive; null for no end. */
  downTo: PageKey | null;
}

/** A matching delivery, or the last one that was scanned. */
type ScannedRow = LoggedDelivery & { matches: boolean; scanned: number };

/** Scans one step of a range. Returns the deliveries that match, and where the next step continues; null at the end. */
async function scan(
  db: PostgresDatabase,
  { webhookId, state, after, downTo }: SearchRange,
  { since, eventType, statusClass }: DeliveryFilter,
  limit: number,
): Promise<{ found: LoggedDelivery[]; next: PageKey | null }> {
  const conditions = new Conditions()
    .add('webhook_id = ?', webhookId)
    .add('state = ?', state)
    .addRange(mergeBounds({ after, since, downTo }));
  const range = conditions.sql;
  const filter = new Conditions();
  if (statusClass !== undefined) filter.add(statusClassConditions[statusClass]);
  const type = eventType === undefined ? '' : `event_type = ${conditions.bind(eventType)}`;
  const matching = [filter.sql, type].filter((text) => text !== '').join(' AND ');
  const rows = await db.rows<ScannedRow>(
    `SELECT ${loggedDeliveryFields.select}, d.matches, d.scanned
     FROM (
       SELECT *, sum(CASE WHEN matches THEN 1 ELSE 0 END) OVER (ORDER BY created_at DESC, id DESC) AS place,
         row_number() OVER (ORDER BY created_at, id) AS from_end, count(*) OVER () AS scanned
       FROM (
         SELECT *, coalesce(${matching}, FALSE) AS matches FROM deliveries
         WHERE ${range} ORDER BY created_at DESC, id DESC LIMIT ${stepSize}) AS step) AS d
     JOIN queues ON queues.webhook_id = d.webhook_id
     WHERE (d.matches AND d.place <= ${conditions.bind(limit)}) OR d.from_end = 1
     ORDER BY d.created_at DESC, d.id DESC`,
    ...conditions.values,
  );
  const last = rows.at(-1);
  const isWhole = last === undefined || last.scanned < stepSize;
  return {
    found: rows.flatMap(({ matches, scanned, ...delivery }) => (matches ? delivery : [])),
    next: isWhole ? null : { createdAt: last.createdAt, id: last.id },
  };
}

/**
 * Searches for an account's newest deliveries that match a filter, newest first. It yields after each step, so that other work gets
 * a turn during a search for few deliveries among many.
 */
export async function* findDeliveries(
  db: PostgresDatabase,
  accountId: string,
  filter: DeliveryFilter,
  { after, limit }: Page,
): AsyncGenerator<undefined, LoggedDelivery[]> {
  const conditions = new Conditions();
  const webhooks = await db.rows<{ id: string }>(
    selectWebhookIds(conditions, accountId, filter),
    ...conditions.values,
  );
  let found: LoggedDelivery[] = [];
  for (const { id: webhookId } of webhooks) {
    for (const state of listStates(filter)) {
      let from: PageKey | null = after;
      do {
        // Once the page is full, only deliveries newer than its last one can still get on it.
        const downTo = found[limit - 1] ?? null;
        const step = await scan(db, { webhookId, state, after: from, downTo }, filter, limit);
        found = merge(found, step.found, limit);
        from = step.next;
        yield;
      } while (from !== null);
    }
  }
  return found;
}
