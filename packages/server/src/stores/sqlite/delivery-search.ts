import type { EventType } from '@tradepost/contract';
import type { DeliveryState } from '@tradepost/domain/deliveries/delivery';
import {
  type DeliveryFilter,
  type LoggedAttempt,
  type LoggedDelivery,
  needsSearch,
} from '@tradepost/domain/deliveries/logged-delivery';
import type { PageKey } from '@tradepost/domain/kernel/pagination';
import { listStates, statusClassConditions } from '../delivery-filter';
import { mergeBounds } from '../page-bounds';
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
): DeliveryRow[] {
  const conditions = buildConditions(range, since);
  if (eventType !== undefined) conditions.add('event_type = ?', eventType);
  if (statusClass !== undefined) conditions.add(statusClassConditions[statusClass]);
  return db.all<DeliveryRow>(
    `SELECT d.*, queues.backoff_until, queues.paused FROM (
       SELECT * FROM deliveries INDEXED BY deliveries_of_webhook
       WHERE ${conditions.sql} ORDER BY created_at DESC, id DESC LIMIT ?) AS d
     JOIN queues ON queues.webhook_id = d.webhook_id`,
    ...conditions.values,
    limit,
  );
}

function toPageKey({ created_at: createdAt, id }: { created_at: number; id: string }): PageKey {
  return { createdAt, id };
}

/** Returns where to cut a range that is longer than a step; null if it is not. */
function selectCut(db: SqliteDatabase, range: SearchRange, since?: number): PageKey | null {
  const conditions = buildConditions(range, since);
  const row = db.get<{ created_at: number; id: string }>(
    `SELECT created_at, id FROM deliveries INDEXED BY deliveries_of_webhook
     WHERE ${conditions.sql} ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ?`,
    ...conditions.values,
    stepSize - 1,
  );
  return row === undefined ? null : toPageKey(row);
}

function newestFirst(one: DeliveryRow, other: DeliveryRow): number {
  return other.created_at - one.created_at || (other.id > one.id ? 1 : -1);
}

/** Merges two results, each delivery once, because one that was found again may have changed its state. */
function merge(found: DeliveryRow[], more: DeliveryRow[], limit: number): DeliveryRow[] {
  const again = new Set(more.map(({ seq }) => seq));
  const others = found.filter(({ seq }) => !again.has(seq));
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
): Generator<undefined, DeliveryRow[]> {
  const isSearch = needsSearch(filter);
  let found: DeliveryRow[] = [];
  for (const webhookId of selectWebhookIds(db, accountId, filter.webhookId)) {
    for (const state of listStates(filter)) {
      let from: PageKey | null = after;
      do {
        // Once the page is full, only deliveries newer than its last one can still get on it.
        const last = found[limit - 1];
        const rest = { webhookId, state, after: from, downTo: last ? toPageKey(last) : null };
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

/** A row of `deliveries` with the state of its queue. */
export interface DeliveryRow {
  seq: number;
  id: string;
  event_id: string;
  webhook_id: string;
  event_type: EventType;
  test: number;
  state: DeliveryState;
  attempts: number;
  due_at: number | null;
  /** When `due_at` was decided. A requested delivery that goes ahead of others has an earlier `due_at`. */
  scheduled_at: number;
  backoff_until: number;
  paused: number;
  deadline_at: number;
  lease_until: number | null;
  last_status: number | null;
  last_error: string | null;
  created_at: number;
  finished_at: number | null;
}

/** A row of `attempts`. */
export interface AttemptRow {
  number: number;
  started_at: number;
  duration_ms: number;
  url: string;
  headers: string;
  status: number | null;
  error: string | null;
  response_snippet: string;
}

/** Converts a row to a delivery. */
export function readDelivery(row: DeliveryRow): LoggedDelivery {
  return {
    id: row.id,
    eventId: row.event_id,
    webhookId: row.webhook_id,
    eventType: row.event_type,
    test: row.test === 1,
    state: row.state,
    nextAttemptAt: row.due_at === null ? null : Math.max(row.due_at, row.scheduled_at),
    inProgress: row.lease_until !== null,
    paused: row.paused === 1,
    backoffUntil: row.backoff_until,
    attemptCount: row.attempts,
    lastStatus: row.last_status,
    lastError: row.last_error,
    deadlineAt: row.deadline_at,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}

/** Converts a row to an attempt. */
export function readAttempt(row: AttemptRow): LoggedAttempt {
  return {
    number: row.number,
    startedAt: row.started_at,
    durationMs: row.duration_ms,
    url: row.url,
    headers: JSON.parse(row.headers) as Record<string, string>,
    status: row.status,
    error: row.error,
    responseSnippet: row.response_snippet,
  };
}
