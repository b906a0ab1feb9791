import type { DeliveryFilter, LoggedDelivery } from '@tradepost/domain/deliveries/logged-delivery';
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

/** Lists the newest deliveries, newest first: the newest of each webhook in each state, by ranges of an index. */
export function selectPage(
  db: PostgresDatabase,
  accountId: string,
  filter: DeliveryFilter,
  { after, limit }: DeliveryPage,
): Promise<LoggedDelivery[]> {
  const range = new NumberedConditions().addRange(mergeBounds({ after, since: filter.since }));
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
  { since, eventType, statusClass }: DeliveryFilter,
  limit: number,
): ReturnType<DeliveryReader['scan']> {
  const conditions = new NumberedConditions()
    .add('webhook_id = ?', webhookId)
    .addRange(mergeBounds({ after, since, downTo }));
  const range = conditions.sql;
  const filter = new NumberedConditions();
  if (statusClass !== undefined) filter.add(statusClassConditions[statusClass]);
  const type = eventType === undefined ? '' : `event_type = ${conditions.bind(eventType)}`;
  const matching = [filter.sql, type].filter((text) => text !== '').join(' AND ');
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
