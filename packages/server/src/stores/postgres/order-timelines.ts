import type { Order } from '@tradepost/domain/orders/order';
import type { PastEvent, TimelineStore } from '@tradepost/domain/orders/order-timeline';
import { attemptFields, loggedDeliveryFields, notifications, orders } from '../records/tables';
import type { PostgresDatabase } from './database';
import { deliveriesIn } from './delivery-queries';
import { eventColumns } from './events';

const pastAttempts = attemptFields.only('number', 'startedAt', 'durationMs', 'status', 'error');
const pastNotification = notifications.only('id', 'read');

/** The last attempts of a delivery `d`, oldest first. */
const attempts = `SELECT coalesce(json_agg(a ORDER BY a.number), '[]') FROM (
    SELECT ${pastAttempts.select} FROM attempts WHERE delivery_id = d.id ORDER BY number DESC LIMIT $4) AS a`;

/** The deliveries of an event `e` to a webhook `w`. They have the time of the event: pending ones have no index by it. */
const ofWebhook = (['pending', 'delivered', 'failed'] as const)
  .map(
    (state) => `(SELECT * FROM ${deliveriesIn(state)} AS s
      WHERE s.webhook_id = w.id AND s.created_at = e.created_at AND s.event_id = e.id
      ORDER BY created_at DESC, id DESC LIMIT $3)`,
  )
  .join(' UNION ALL ');

/** The deliveries of an event `e` to the webhooks of the account. */
const deliveries = `SELECT coalesce(json_agg(d ORDER BY d.id), '[]') FROM (
    SELECT ${loggedDeliveryFields.select}, (${attempts}) AS attempts
    FROM (SELECT id FROM webhooks WHERE account_id = $2 AND deleted_at IS NULL) AS w
      CROSS JOIN LATERAL (${ofWebhook}) AS d
      JOIN queues ON queues.webhook_id = d.webhook_id) AS d`;

/** The notification of an event `e` of the account, which has its time. */
const notification = `SELECT row_to_json(n) FROM (
    SELECT ${pastNotification.select} FROM notifications
    WHERE account_id = $2 AND read = ANY ('{t,f}') AND created_at = e.created_at AND event_id = e.id LIMIT 1) AS n`;

/**
 * The last events of an order that are in the log of the account, oldest first: by their number in it or, until they have one, by
 * their position. The limits keep the planner from joins that read whole tables or indexes.
 */
const events = `SELECT coalesce(json_agg(e ORDER BY e.seq NULLS LAST, e.position), '[]') FROM (
    SELECT ${eventColumns}, l.seq, l.position, (${notification}) AS notification, (${deliveries}) AS deliveries
    FROM (SELECT * FROM events WHERE order_id = $1 OFFSET 0) AS e
      CROSS JOIN LATERAL (
        SELECT seq, position FROM account_events WHERE event_id = e.id AND account_id = $2 OFFSET 0) AS l
    ORDER BY l.seq DESC NULLS FIRST, l.position DESC LIMIT $3) AS e`;

/** One statement, which sees one state. Its parameters: the order, the account, how many events, and how many attempts of each delivery. */
export const selectPast = `SELECT ${orders.select},
    coalesce((SELECT pruned_seq FROM event_logs WHERE account_id = $2), 0) AS "prunedTo",
    (${events}) AS events
  FROM orders WHERE id = $1`;

/** An event with its place in the log. */
type Row = Order & {
  prunedTo: number;
  events: (PastEvent & { seq: unknown; position: unknown })[];
};

/** Creates the store of timelines. */
export function createPostgresTimelineStore(db: PostgresDatabase): TimelineStore {
  return {
    async readPast(accountId, orderId, limits) {
      const row = await db.row<Row>(
        selectPast,
        orderId,
        accountId,
        limits.entries,
        limits.attempts,
      );
      if (row === undefined) return null;
      const { events: found, prunedTo, ...order } = row;
      const past = found.map(({ seq: _, position: __, ...event }) => event);
      return { order, events: past, prunedTo };
    },
  };
}
