import {
  type DeliveryFilter,
  isOfFewEvents,
  type LoggedDelivery,
} from '@tradepost/domain/deliveries/logged-delivery';
import type { PageKey } from '@tradepost/domain/kernel/pagination';
import { Conditions } from '../conditions';
import {
  type DeliveryPage,
  type DeliveryRange,
  type DeliveryReader,
  listStates,
  mergeDeliveries,
  statusClassConditions,
  stepSize,
} from '../delivery-search';
import { mergeBounds } from '../page-bounds';
import { loggedDeliveryFields } from '../records/tables';
import type { SqliteDatabase } from './database';

function buildConditions(
  { webhookId, state, after, downTo }: DeliveryRange,
  { since, until }: DeliveryFilter,
): Conditions {
  return new Conditions()
    .add('webhook_id = ?', webhookId)
    .add('state = ?', state)
    .addRange(mergeBounds({ after, since, createdBefore: until, downTo }));
}

/** Adds the filters for which there is no index. */
function addOtherFilters(
  conditions: Conditions,
  { eventType, statusClass }: DeliveryFilter,
): Conditions {
  if (eventType !== undefined) conditions.add('event_type = ?', eventType);
  if (statusClass !== undefined) conditions.add(statusClassConditions[statusClass]);
  return conditions;
}

/** Lists the deliveries of a range that match a filter, newest first, by a scan of one index. */
function selectMatching(
  db: SqliteDatabase,
  range: DeliveryRange,
  filter: DeliveryFilter,
  limit: number,
): LoggedDelivery[] {
  const conditions = addOtherFilters(buildConditions(range, filter), filter);
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
function selectCut(
  db: SqliteDatabase,
  range: DeliveryRange,
  filter: DeliveryFilter,
): PageKey | null {
  const conditions = buildConditions(range, filter);
  const row = db.get<PageKey>(
    `SELECT created_at AS createdAt, id FROM deliveries INDEXED BY deliveries_of_webhook
     WHERE ${conditions.sql} ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ?`,
    ...conditions.values,
    stepSize - 1,
  );
  return row ?? null;
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

/** Lists the newest deliveries of one event or one order, newest first. */
function selectOfEvents(
  db: SqliteDatabase,
  accountId: string,
  filter: DeliveryFilter,
  { after, limit }: DeliveryPage,
): LoggedDelivery[] {
  const { eventId, orderId, webhookId, state, since, until } = filter;
  const events = new Conditions();
  if (eventId !== undefined) events.add('id = ?', eventId);
  if (orderId !== undefined) events.add('order_id = ?', orderId);
  const conditions = new Conditions(events.values)
    .add(
      'webhook_id IN (SELECT id FROM webhooks WHERE account_id = ? AND deleted_at IS NULL)',
      accountId,
    )
    .addRange(mergeBounds({ after, since, createdBefore: until }));
  if (webhookId !== undefined) conditions.add('webhook_id = ?', webhookId);
  if (state !== undefined) conditions.add('state = ?', state);
  addOtherFilters(conditions, filter);
  return db.list(
    loggedDeliveryFields,
    `FROM (
       SELECT * FROM deliveries INDEXED BY deliveries_of_event
       WHERE event_id IN (SELECT id FROM events WHERE ${events.sql}) AND ${conditions.sql}
       ORDER BY created_at DESC, id DESC LIMIT ?) AS d
     JOIN queues ON queues.webhook_id = d.webhook_id
     ORDER BY d.created_at DESC, d.id DESC`,
    ...conditions.values,
    limit,
  );
}

/** Lists the newest deliveries, newest first, for a filter that needs no search. Call inside a read. */
export function selectPage(
  db: SqliteDatabase,
  accountId: string,
  filter: DeliveryFilter,
  { after, limit }: DeliveryPage,
): LoggedDelivery[] {
  if (isOfFewEvents(filter)) return selectOfEvents(db, accountId, filter, { after, limit });
  let found: LoggedDelivery[] = [];
  for (const webhookId of selectWebhookIds(db, accountId, filter.webhookId)) {
    for (const state of listStates(filter)) {
      const range = { webhookId, state, after, downTo: found[limit - 1] ?? null };
      found = mergeDeliveries(found, selectMatching(db, range, filter, limit), limit);
    }
  }
  return found;
}

/** Creates the reader of searches. */
export function createDeliveryReader(db: SqliteDatabase): DeliveryReader {
  return {
    listWebhooks: (accountId, { webhookId }) =>
      db.read(() => selectWebhookIds(db, accountId, webhookId)),

    scan: (range, filter, limit) =>
      db.view(() => {
        const next = selectCut(db, range, filter);
        const step = next === null ? range : { ...range, downTo: next };
        return { found: selectMatching(db, step, filter, limit), next };
      }),
  };
}
