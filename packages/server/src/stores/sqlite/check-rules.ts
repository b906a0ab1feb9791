import { addRules, createRuleGroups } from '../data-rules';

/** What the server keeps true with each change, beyond what the schema enforces. */
export const ruleGroups = addRules(
  createRuleGroups({
    isNoJson: 'NOT json_valid(body)',
    attemptReference: { from: 'delivery_seq', to: 'seq' },
    deliveries: 'deliveries',
    pendingDeliveries: "(SELECT * FROM deliveries WHERE state = 'pending')",
    isDueKnown: 'TRUE',
    signalled: '0',
  }),
  {
    deliveries: [
      {
        problem: 'pending deliveries that are neither due nor leased, or both',
        sql: `SELECT id FROM deliveries
          WHERE state = 'pending' AND (due_at IS NULL) = (lease_until IS NULL)`,
      },
      {
        problem: 'pending deliveries with an end, or without a start of their wait',
        sql: `SELECT id FROM deliveries
          WHERE state = 'pending' AND (finished_at IS NOT NULL OR scheduled_at IS NULL)`,
      },
      {
        problem: 'finished deliveries that are due or leased, or have no end',
        sql: `SELECT id FROM deliveries WHERE state <> 'pending'
          AND (due_at IS NOT NULL OR lease_until IS NOT NULL OR finished_at IS NULL)`,
      },
    ],
  },
);
