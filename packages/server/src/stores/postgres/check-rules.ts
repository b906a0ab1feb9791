import { addRules, createRuleGroups, type DataRule, describeBrokenReference } from '../data-rules';
import { allDeliveries } from './delivery-queries';

/** What the server keeps true with each change, beyond what the schema enforces. */
export const ruleGroups = addRules(
  createRuleGroups({
    isNoJson: 'NOT pg_temp.is_json(body)',
    attemptReference: { from: 'delivery_id', to: 'id' },
    deliveries: allDeliveries,
    pendingDeliveries: 'pending_deliveries',
    isDueKnown: `NOT EXISTS (SELECT 1 FROM queue_signals AS s WHERE s.webhook_id = q.webhook_id)`,
    signalled: `(SELECT coalesce(sum(deliveries), 0) FROM queue_signals AS s WHERE s.webhook_id = q.webhook_id)`,
  }),
  {
    events: [
      {
        problem: 'event logs that end before their last entry',
        sql: `SELECT account_id FROM account_events WHERE seq IS NOT NULL GROUP BY account_id
          HAVING max(seq) > coalesce((
            SELECT last_seq FROM event_logs WHERE event_logs.account_id = account_events.account_id), 0)`,
      },
    ],
    deliveries: [
      {
        problem: 'deliveries that are both pending and finished',
        sql: 'SELECT id FROM deliveries JOIN pending_deliveries USING (id)',
      },
    ],
    queues: [
      {
        problem: 'queues with a delivery that is due before they are searched',
        sql: `SELECT webhook_id FROM queues
          WHERE NOT EXISTS (SELECT 1 FROM queue_signals AS s WHERE s.webhook_id = queues.webhook_id)
            AND EXISTS (
              SELECT 1 FROM pending_deliveries AS d WHERE d.webhook_id = queues.webhook_id
                AND d.lease_until IS NULL AND coalesce(d.due_at, d.created_at) < queues.due_from)`,
      },
    ],
  },
);

/** The columns of each table that refer to other tables, and to which. The schema has few foreign keys, because they take locks. */
const references: Record<string, Record<string, string>> = {
  api_keys: { account_id: 'accounts' },
  listings: { seller_id: 'accounts', agent_id: 'accounts' },
  orders: {
    buyer_id: 'accounts',
    seller_id: 'accounts',
    agent_id: 'accounts',
    listing_id: 'listings',
  },
  partners: { account_id: 'accounts', partner_id: 'accounts' },
  tasks: { order_id: 'orders', agent_id: 'accounts' },
  events: { order_id: 'orders' },
  notifications: { account_id: 'accounts', event_id: 'events', order_id: 'orders' },
  event_logs: { account_id: 'accounts' },
  webhooks: { account_id: 'accounts' },
  webhook_events: { webhook_id: 'webhooks' },
  queues: { webhook_id: 'webhooks' },
  webhook_stats: { webhook_id: 'webhooks' },
  pending_deliveries: { event_id: 'events', webhook_id: 'webhooks' },
  deliveries: { event_id: 'events', webhook_id: 'webhooks' },
  attempts: { delivery_id: allDeliveries },
};

/** A change may queue a delivery for a webhook that was removed meanwhile. It is removed together with its signal. */
const exceptions: Record<string, string> = {
  'pending_deliveries.webhook_id':
    'AND NOT EXISTS (SELECT 1 FROM queue_signals AS s WHERE s.webhook_id = child.webhook_id)',
};

/** A rule for each reference. */
export const referenceRules: DataRule[] = Object.entries(references).flatMap(([table, columns]) =>
  Object.entries(columns).map(([column, parent]) => ({
    problem: describeBrokenReference(table, column),
    sql: `SELECT child.${column} FROM ${table} AS child WHERE child.${column} IS NOT NULL
      ${exceptions[`${table}.${column}`] ?? ''}
      AND NOT EXISTS (SELECT 1 FROM ${parent} AS parent WHERE parent.id = child.${column})`,
  })),
);
