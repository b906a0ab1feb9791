import { maxStoredAttempts } from '@tradepost/domain/deliveries/delivery';
import { createRuleGroups } from '../data-rules';

/** What the server keeps true with each change, beyond what the schema enforces. */
export const ruleGroups = createRuleGroups({
  eventType: 'event_type',
  response: 'response',
  concurrencyLimit: 'concurrency_limit',
  backoffUntil: 'backoff_until',
  wrongLowStockMarks: `SELECT id FROM listings WHERE low_stock_notified NOT IN (0, 1)
    OR (low_stock_notified = 1 AND (low_threshold IS NULL OR available_quantity > low_threshold))
    OR (low_stock_notified = 0 AND available_quantity < low_threshold)`,
  bodiesWithoutJson: 'SELECT id FROM events WHERE NOT json_valid(body)',
  wrongAttempts: `SELECT d.id FROM deliveries AS d LEFT JOIN (
      SELECT delivery_seq, count(*) AS stored, max(number) AS last
      FROM attempts GROUP BY delivery_seq) AS a ON a.delivery_seq = d.seq
    WHERE coalesce(a.stored, 0) <> min(d.attempts, ${maxStoredAttempts})
      OR coalesce(a.last, 0) <> d.attempts`,
  queuesWithDeliveries: `FROM queues AS q
    JOIN webhooks AS w ON w.id = q.webhook_id
    LEFT JOIN (
      SELECT webhook_id, sum(state = 'pending') AS pending,
        sum(lease_until IS NOT NULL AND lease_counts = 1) AS leased, min(due_at) AS first_due
      FROM deliveries GROUP BY webhook_id) AS d ON d.webhook_id = q.webhook_id`,
});
