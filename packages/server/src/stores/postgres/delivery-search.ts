import {
  type DeliveryFilter,
  isOfFewEvents,
  type LoggedDelivery,
} from '@tradepost/domain/deliveries/logged-delivery';
import { NumberedConditions } from '../conditions';
import {
  type DeliveryPage,
  type DeliveryRange,
  type DeliveryReader,
  listStates,
  statusClassConditions,
  stepSize,
} from '../delivery-search';
import { mergeBounds } from '../page-bounds';
import { loggedDeliveryFields } from '../records/tables';
import type { PostgresDatabase } from './database';
import { deliveriesIn } from './delivery-queries';

/** The webhooks of an account that are not deleted: all, or one. */
function selectWebhookIds(
  conditions: NumberedConditions,
  accountId: string,
  { webhookId }: DeliveryFilter,
): string {
  const one = webhookId === undefined ? '' : `AND id = ${conditions.bind(webhookId)}`;
  return `SELECT id FROM webhooks
    WHERE account_id = ${conditions.bind(accountId)} AND deleted_at IS NULL ${one}`;
}

/** Binds the filters for which there is no index. Returns them as one condition; an empty text if there are none. */
function bindOtherFilters(
  conditions: NumberedConditions,
  { eventType, statusClass }: DeliveryFilter,
): string {
  return [
    ...(statusClass === undefined ? [] : [statusClassConditions[statusClass]]),
    ...(eventType === undefined ? [] : [`event_type = ${conditions.bind(eventType)}`]),
  ].join(' AND ');
}

/**
 * Lists the newest deliveries of one event or one order, newest first. Those of a webhook are found by the time, which they have of
 * their event: pending ones have no index by event. Each range has a limit, so that it is read for each event and webhook, whatever
 * the planner expects.
 */
async function selectOfEvents(
  db: PostgresDatabase,
  accountId: string,
  filter: DeliveryFilter,
  { after, limit }: DeliveryPage,
): Promise<LoggedDelivery[]> {
  const states = listStates(filter);
  if (states.length === 0) return [];
  const events = new NumberedConditions();
  if (filter.eventId !== undefined) events.add('id = ?', filter.eventId);
  if (filter.orderId !== undefined) events.add('order_id = ?', filter.orderId);
  const { since, until } = filter;
  const range = new NumberedConditions(events.values).addRange(
    mergeBounds({ after, since, createdBefore: until }),
  );
  const webhookIds = selectWebhookIds(range, accountId, filter);
  const others = [range.sql, bindOtherFilters(range, filter)].filter((text) => text !== '');
  const own = 's.webhook_id = w.id AND s.created_at = e.created_at AND s.event_id = e.id';
  const where = [own, ...others].join(' AND ');
  const most = range.bind(limit);
  const found = states.map(
    (state) => `(SELECT * FROM ${deliveriesIn(state)} AS s WHERE ${where}
       ORDER BY created_at DESC, id DESC LIMIT ${most})`,
  );
  return await db.rows<LoggedDelivery>(
    `SELECT ${loggedDeliveryFields.select}
     FROM (${webhookIds}) AS w CROSS JOIN (SELECT id, created_at FROM events WHERE ${events.sql}) AS e
       CROSS JOIN LATERAL (${found.join(' UNION ALL ')}) AS d
       JOIN queues ON queues.webhook_id = d.webhook_id
     ORDER BY d.created_at DESC, d.id DESC LIMIT ${most}`,
    ...range.values,
  );
}

/** Lists the newest deliveries, newest first: the newest of each webhook in each state, by ranges of an index. */
export function selectPage(
  db: PostgresDatabase,
  accountId: string,
  filter: DeliveryFilter,
  { after, limit }: DeliveryPage,
): Promise<LoggedDelivery[]> {
  if (isOfFewEvents(filter)) return selectOfEvents(db, accountId, filter, { after, limit });
  const { since, until } = filter;
  const range = new NumberedConditions().addRange(
    mergeBounds({ after, since, createdBefore: until }),
  );
  const where = range.sql === '' ? '' : `AND ${range.sql}`;
  const webhookIds = selectWebhookIds(range, accountId, filter);
  const most = range.bind(limit);
  const pages = listStates(filter).map(
    (state) => `(SELECT * FROM ${deliveriesIn(state)} AS s WHERE s.webhook_id = w.id ${where}
       ORDER BY created_at DESC, id DESC LIMIT ${most})`,
  );
  return db.rows<LoggedDelivery>(
    `SELECT ${loggedDeliveryFields.select}
     FROM (${webhookIds}) AS w CROSS JOIN LATERAL (${pages.join(' UNION ALL ')}) AS d
       JOIN queues ON queues.webhook_id = d.webhook_id
     ORDER BY d.created_at DESC, d.id DESC LIMIT ${most}`,
    ...range.values,
  );
}

/** A matching delivery, or the last one that was scanned. */
type ScannedRow = LoggedDelivery & { matches: boolean; scanned: number };

/** Scans one step of a range. */
async function scan(
  db: PostgresDatabase,
  { webhookId, state, after, downTo }: DeliveryRange,
  filter: DeliveryFilter,
  limit: number,
): ReturnType<DeliveryReader['scan']> {
  const { since, until } = filter;
  const conditions = new NumberedConditions()
    .add('webhook_id = ?', webhookId)
    .addRange(mergeBounds({ after, since, createdBefore: until, downTo }));
  const range = conditions.sql;
  const matching = bindOtherFilters(conditions, filter);
  const rows = await db.rows<ScannedRow>(
    `SELECT ${loggedDeliveryFields.select}, d.matches, d.scanned
     FROM (
       SELECT *, sum(CASE WHEN matches THEN 1 ELSE 0 END) OVER (ORDER BY created_at DESC, id DESC) AS place,
         row_number() OVER (ORDER BY created_at, id) AS from_end, count(*) OVER () AS scanned
       FROM (
         SELECT *, coalesce(${matching}, FALSE) AS matches FROM ${deliveriesIn(state)} AS s
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

/** Creates the reader of searches. */
export function createDeliveryReader(db: PostgresDatabase): DeliveryReader {
  return {
    async listWebhooks(accountId, filter) {
      const conditions = new NumberedConditions();
      const webhooks = await db.rows<{ id: string }>(
        selectWebhookIds(conditions, accountId, filter),
        ...conditions.values,
      );
      return webhooks.map(({ id }) => id);
    },

    scan: (range, filter, limit) => scan(db, range, filter, limit),
  };
}
