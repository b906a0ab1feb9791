import {
  createRuleGroups,
  type DataRule,
  describeBrokenReference,
  type RuleGroup,
} from '../data-rules';

const sharedGroups = createRuleGroups({
  isNoJson: 'NOT pg_temp.is_json(body)',
  attemptReference: { from: 'delivery_id', to: 'id' },
  // New deliveries are counted, and their queues polled, when a worker has found them.
  isCounted: 'counted',
});

/** Rules about what only PostgreSQL has, by the name of their group. */
const ownRules: Record<string, DataRule[]> = {
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
      problem: 'deliveries that are leased or finished, and not counted',
      sql: "SELECT id FROM deliveries WHERE NOT counted AND (lease_until IS NOT NULL OR state <> 'pending')",
    },
  ],
  queues: [
    {
      problem: 'queues with a delivery that is due before they are searched',
      sql: `SELECT webhook_id FROM queues WHERE EXISTS (
          SELECT 1 FROM deliveries AS d
          WHERE d.webhook_id = queues.webhook_id AND d.counted AND d.due_at < queues.due_from)`,
    },
  ],
};

/** What the server keeps true with each change, beyond what the schema enforces. */
export const ruleGroups: RuleGroup[] = sharedGroups.map((group) => ({
  ...group,
  rules: [...group.rules, ...(ownRules[group.name] ?? [])],
}));

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
  tasks: { order_id: 'orders', agent_id: 'accounts' },
  events: { order_id: 'orders' },
  notifications: { account_id: 'accounts', event_id: 'events', order_id: 'orders' },
  event_logs: { account_id: 'accounts' },
  webhooks: { account_id: 'accounts' },
  webhook_events: { webhook_id: 'webhooks' },
  queues: { webhook_id: 'webhooks' },
  deliveries: { event_id: 'events', webhook_id: 'webhooks' },
  attempts: { delivery_id: 'deliveries' },
};

/** A change may queue a delivery for a webhook that was removed meanwhile. It is removed before it is counted. */
const exceptions: Record<string, string> = { 'deliveries.webhook_id': 'AND child.counted' };

/** A rule for each reference. */
export const referenceRules: DataRule[] = Object.entries(references).flatMap(([table, columns]) =>
  Object.entries(columns).map(([column, parent]) => ({
    problem: describeBrokenReference(table, column),
    sql: `SELECT child.${column} FROM ${table} AS child WHERE child.${column} IS NOT NULL
      ${exceptions[`${table}.${column}`] ?? ''}
      AND NOT EXISTS (SELECT 1 FROM ${parent} AS parent WHERE parent.id = child.${column})`,
  })),
);
