import type { DeliveryState } from '@tradepost/domain/deliveries/delivery';
import {
  type DeliveryFilter,
  type LoggedDelivery,
  needsSearch,
} from '@tradepost/domain/deliveries/logged-delivery';
import type { PageKey } from '@tradepost/domain/kernel/pagination';
import { listStates, statusClassConditions } from '../delivery-filter';
import { mergeBounds } from '../page-bounds';
import { loggedDeliveryFields } from '../records/tables';
import type { SqliteDatabase } from './database';
import { Conditions } from './page-range';

/** How many deliveries a step of a search scans: a few milliseconds of work. */
const stepSize = 5_000;

/** A range of one webhook's deliveries in one state, newest first. */
interface SearchRange {
  webhookId: string;
  state: DeliveryState;
  /** Only older deliveries. */
  after: PageKey | null;
  /** The last delivery, inclusive; null for no end. */
  downTo: PageKey | null;
}

function buildConditions(
  { webhookId, state, after, downTo }: SearchRange,
  since?: number,
): Conditions {
  return new Conditions()
    .add('webhook_id = ?', webhookId)
    .add('state = ?', state)
    .addRange(mergeBounds({ after, since, downTo }));
}

/** Lists the deliveries of a range that match a filter, newest first, by a scan of one index. */
function selectMatching(
  db: SqliteDatabase,
  range: SearchRange,
  { since, eventType, statusClass }: DeliveryFilter,
  limit: number,
): LoggedDelivery[] {
  const conditions = buildConditions(range, since);
  if (eventType !== undefined) conditions.add('event_type = ?', eventType);
  if (statusClass !== undefined) conditions.add(statusClassConditions[statusClass]);
  return db.list(
    loggedDeliveryFields,
    `FROM (
       SELECT * FROM deliveries INDEXED BY deliveries_of_webhook
       WHERE ${conditions.sql} ORDER BY created_at DESC, id DESC LIMIT ?) AS d
     JOIN queues ON queues.webhook_id = d.webhook_id`,
    ...conditions.values,
    limit,
  );
}

/** Returns where to cut a range that is longer than a step; null if it is not. */
function selectCut(db: SqliteDatabase, range: SearchRange, since?: number): PageKey | null {
  const conditions = buildConditions(range, since);
  const row = db.get<PageKey>(
    `SELECT created_at AS createdAt, id FROM deliveries INDEXED BY deliveries_of_webhook
     WHERE ${conditions.sql} ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ?`,
    ...conditions.values,
    stepSize - 1,
  );
  return row ?? null;
}

function newestFirst(one: LoggedDelivery, other: LoggedDelivery): number {
  return other.createdAt - one.createdAt || (other.id > one.id ? 1 : -1);
}

/** Merges two results, each delivery once, because one that was found again may have changed its state. */
function merge(found: LoggedDelivery[], more: LoggedDelivery[], limit: number): LoggedDelivery[] {
  const again = new Set(more.map(({ id }) => id));
  const others = found.filter(({ id }) => !again.has(id));
  return [...others, ...more].sort(newestFirst).slice(0, limit);
}

function selectWebhookIds(db: SqliteDatabase, accountId: string, onlyId?: string): string[] {
  return db
    .all<{ id: string }>(
      'SELECT id FROM webhooks WHERE account_id = ? AND deleted_at IS NULL',
      accountId,
    )
    .map(({ id }) => id)
    .filter((id) => (onlyId ?? id) === id);
}

/**
 * Finds an account's newest deliveries, newest first. It yields after each step, so that other work gets a turn during a
 * search for few deliveries among many. Without a search, a step costs no more than a page.
 */
export function* findDeliveries(
  db: SqliteDatabase,
  accountId: string,
  filter: DeliveryFilter,
  { after, limit }: { after: PageKey | null; limit: number },
): Generator<undefined, LoggedDelivery[]> {
  const isSearch = needsSearch(filter);
  let found: LoggedDelivery[] = [];
  for (const webhookId of selectWebhookIds(db, accountId, filter.webhookId)) {
    for (const state of listStates(filter)) {
      let from: PageKey | null = after;
      do {
        // Once the page is full, only deliveries newer than its last one can still get on it.
        const rest = { webhookId, state, after: from, downTo: found[limit - 1] ?? null };
        const cut: PageKey | null = isSearch ? selectCut(db, rest, filter.since) : null;
        const range = cut === null ? rest : { ...rest, downTo: cut };
        found = merge(found, selectMatching(db, range, filter, limit), limit);
        from = cut;
        yield;
      } while (from !== null);
    }
  }
  return found;
}
