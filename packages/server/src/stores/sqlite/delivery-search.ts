import type { HttpClass } from '@tradepost/contract';
import type { DeliveryState } from '../../deliveries/delivery';
import { type DeliveryFilter, needsSearch } from '../../deliveries/logged-delivery';
import type { Position } from '../../position';
import { mergeBounds } from '../page-range';
import { Conditions } from './conditions';
import type { SqliteDatabase } from './database';
import type { DeliveryRow } from './delivery-rows';

/** How many deliveries a search looks at before others get their turn: a few milliseconds' worth. */
const stride = 5_000;

const states: readonly DeliveryState[] = ['pending', 'delivered', 'failed'];

const classes: Record<HttpClass, string> = {
  '2xx': 'last_status BETWEEN 200 AND 299',
  '3xx': 'last_status BETWEEN 300 AND 399',
  '4xx': 'last_status BETWEEN 400 AND 499',
  '5xx': 'last_status BETWEEN 500 AND 599',
  none: 'last_status IS NULL AND last_error IS NOT NULL',
};

/** A stretch of the log of one webhook's deliveries in one state, newest first. */
interface Stretch {
  webhookId: string;
  state: DeliveryState;
  /** Only what is older. */
  after: Position | null;
  /** Down to this one, and no further. */
  downTo: Position | null;
}

function conditionsOf({ webhookId, state, after, downTo }: Stretch, since?: number): Conditions {
  return new Conditions()
    .add('webhook_id = ?', webhookId)
    .add('state = ?', state)
    .addRange(mergeBounds({ after, since, downTo }));
}

/** The deliveries of a stretch that a filter lets through, newest first: a walk along one index. */
function selectMatching(
  db: SqliteDatabase,
  stretch: Stretch,
  { since, kind, http }: DeliveryFilter,
  limit: number,
): DeliveryRow[] {
  const conditions = conditionsOf(stretch, since);
  if (kind !== undefined) conditions.add('kind = ?', kind);
  if (http !== undefined) conditions.add(classes[http]);
  return db.all<DeliveryRow>(
    `SELECT d.*, queues.held_until, queues.paused FROM (
       SELECT * FROM deliveries INDEXED BY deliveries_of_webhook
       WHERE ${conditions.sql} ORDER BY created_at DESC, id DESC LIMIT ?) AS d
     JOIN queues ON queues.webhook_id = d.webhook_id`,
    ...conditions.values,
    limit,
  );
}

function positionOf({ created_at: createdAt, id }: { created_at: number; id: string }): Position {
  return { createdAt, id };
}

/** Where a stretch that is longer than a stride is to be cut; null when it is not. */
function selectCut(db: SqliteDatabase, stretch: Stretch, since?: number): Position | null {
  const conditions = conditionsOf(stretch, since);
  const row = db.get<{ created_at: number; id: string }>(
    `SELECT created_at, id FROM deliveries INDEXED BY deliveries_of_webhook
     WHERE ${conditions.sql} ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ?`,
    ...conditions.values,
    stride - 1,
  );
  return row === undefined ? null : positionOf(row);
}

function newestFirst(one: DeliveryRow, other: DeliveryRow): number {
  return other.created_at - one.created_at || (other.id > one.id ? 1 : -1);
}

/** The newest of both, each once: one that was found again may have changed its state since. */
function merge(found: DeliveryRow[], more: DeliveryRow[], limit: number): DeliveryRow[] {
  const again = new Set(more.map(({ seq }) => seq));
  const others = found.filter(({ seq }) => !again.has(seq));
  return [...others, ...more].sort(newestFirst).slice(0, limit);
}

/** The states that deliveries of a filter can be in: what was delivered was answered with a 2xx. */
function statesOf({ state, http }: DeliveryFilter): DeliveryState[] {
  const refused = http !== undefined && http !== '2xx';
  return states.filter((one) => (state ?? one) === one && !(refused && one === 'delivered'));
}

function selectWebhookIds(db: SqliteDatabase, accountId: string, asked?: string): string[] {
  return db
    .all<{ id: string }>(
      'SELECT id FROM webhooks WHERE account_id = ? AND deleted_at IS NULL',
      accountId,
    )
    .map(({ id }) => id)
    .filter((id) => (asked ?? id) === id);
}

/**
 * Finds an account's newest deliveries, newest first. It yields after each step: where a filter has to look
 * for few among many, others can have their turn then. Without such a filter a step costs no more than a page.
 */
export function* findDeliveries(
  db: SqliteDatabase,
  accountId: string,
  filter: DeliveryFilter,
  { after, limit }: { after: Position | null; limit: number },
): Generator<undefined, DeliveryRow[]> {
  const isSearch = needsSearch(filter);
  let found: DeliveryRow[] = [];
  for (const webhookId of selectWebhookIds(db, accountId, filter.webhookId)) {
    for (const state of statesOf(filter)) {
      let from: Position | null = after;
      do {
        // Once the page is full, only what is newer than its last can still come on it.
        const last = found[limit - 1];
        const rest = { webhookId, state, after: from, downTo: last ? positionOf(last) : null };
        const cut: Position | null = isSearch ? selectCut(db, rest, filter.since) : null;
        const stretch = cut === null ? rest : { ...rest, downTo: cut };
        found = merge(found, selectMatching(db, stretch, filter, limit), limit);
        from = cut;
        yield;
      } while (from !== null);
    }
  }
  return found;
}
