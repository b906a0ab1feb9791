import type { DeliveryState } from '@tradepost/domain/deliveries/delivery';

/** A pending delivery is due unless it is leased: a new one since it was created. */
const pending = `SELECT id, event_id, webhook_id, event_type, test, 'pending' AS state, attempts,
    CASE WHEN lease_until IS NULL THEN coalesce(due_at, created_at) END AS due_at,
    coalesce(scheduled_at, created_at) AS scheduled_at, lease_until, deadline_at, last_status,
    last_error, created_at, NULL::bigint AS finished_at
  FROM pending_deliveries`;
const finished = `SELECT id, event_id, webhook_id, event_type, test, state, attempts, NULL::bigint AS due_at,
    NULL::bigint AS scheduled_at, NULL::bigint AS lease_until, deadline_at, last_status, last_error,
    created_at, finished_at
  FROM deliveries`;

/** All deliveries, pending and finished ones, with the same columns: a query that goes before its alias in a FROM clause. */
export const allDeliveries = `(${pending} UNION ALL ${finished})`;

/** Like `allDeliveries`, those in one state. */
export function deliveriesIn(state: DeliveryState): string {
  return state === 'pending' ? `(${pending})` : `(${finished} WHERE state = '${state}')`;
}

/** Inserts finished deliveries: what goes before a SELECT of these columns. */
export const insertFinished = `INSERT INTO deliveries (id, event_id, webhook_id, event_type, test, state, attempts,
    deadline_at, last_status, last_error, created_at, finished_at)`;

/** What to select of a queue. All are expressions of SQL. */
interface DueSelection {
  webhookId: string;
  /** Nothing is due before this time. */
  from: string;
  /** Only what is due until this time. */
  until?: string;
  limit: string;
}

/**
 * Selects what is due in a queue and not leased, in the order of the queue: the IDs of deliveries and events, and as `ready_at` when it is
 * due. What was attempted before has a due time, and new deliveries are due since they were created.
 */
export function selectDue({ webhookId, from, until, limit }: DueSelection): string {
  const range = (time: string, condition: string) =>
    `(SELECT id, event_id, ${time} AS ready_at FROM pending_deliveries
      WHERE webhook_id = ${webhookId} AND ${condition} AND lease_until IS NULL AND ${time} >= ${from}
        ${until === undefined ? '' : `AND ${time} <= ${until}`}
      ORDER BY ${time}, id LIMIT ${limit})`;
  return `SELECT * FROM (
      ${range('due_at', 'due_at IS NOT NULL')} UNION ALL ${range('created_at', 'due_at IS NULL')}) AS due
    ORDER BY ready_at, id LIMIT ${limit}`;
}
