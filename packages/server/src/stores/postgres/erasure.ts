import type { ErasedPart, ErasureStore } from '@tradepost/domain/accounts/erasure';
import type { PostgresDatabase, Transaction } from './database';

/**
 * Removes entries of a log, and remembers how far it was pruned. Those that no one has read have no number yet; they come first, since
 * another transaction may give them one between the statements. What was written for an account after its notifications were erased
 * goes with its entry: no notification is without one.
 */
async function eraseLogEntries(tx: Transaction, accountId: string, limit: number): Promise<number> {
  const remove = (condition: string, order: string, rows: number) =>
    tx.rows<{ eventId: string; seq: number | null }>(
      `DELETE FROM account_events WHERE account_id = $1 AND event_id = ANY (ARRAY(
         SELECT event_id FROM account_events WHERE account_id = $1 AND ${condition}
         ORDER BY ${order} LIMIT $2 FOR UPDATE))
       RETURNING event_id AS "eventId", seq`,
      accountId,
      rows,
    );
  const unnumbered = await remove('seq IS NULL', 'position', limit);
  const numbered = await remove('seq IS NOT NULL', 'seq', limit - unnumbered.length);
  const removed = [...unnumbered, ...numbered];
  if (removed.length === 0) return 0;
  tx.send(
    'DELETE FROM notifications WHERE account_id = $1 AND event_id = ANY ($2::text[])',
    accountId,
    removed.map(({ eventId }) => eventId),
  );
  if (numbered.length > 0) {
    tx.send(
      'UPDATE event_logs SET pruned_seq = greatest(pruned_seq, $2::bigint) WHERE account_id = $1',
      accountId,
      Math.max(...numbered.map(({ seq }) => seq ?? 0)),
    );
  }
  return removed.length;
}

/** They lock what they select: a row that another transaction removes meanwhile does not count, and another one takes its place. */
const statements: Record<Exclude<ErasedPart, 'eventLogEntries'>, string> = {
  notifications: `DELETE FROM notifications WHERE id = ANY (ARRAY(
    SELECT id FROM notifications WHERE account_id = $1 LIMIT $2 FOR UPDATE))`,
  idempotencyKeys: `WITH own AS MATERIALIZED (
      SELECT account_id, operation, key FROM idempotency_keys WHERE account_id = $1 LIMIT $2 FOR UPDATE)
    DELETE FROM idempotency_keys AS k USING own AS o
    WHERE k.account_id = o.account_id AND k.operation = o.operation AND k.key = o.key`,
  apiKeys: `DELETE FROM api_keys WHERE id = ANY (ARRAY(
    SELECT id FROM api_keys WHERE account_id = $1 LIMIT $2 FOR UPDATE))`,
  listings: `UPDATE listings SET title = NULL, low_threshold = NULL, low_stock_notified = FALSE,
      supplied_quantity = supplied_quantity - available_quantity, available_quantity = 0
    WHERE id = ANY (ARRAY(
      SELECT id FROM listings WHERE seller_id = $1
        AND (title IS NOT NULL OR low_threshold IS NOT NULL OR available_quantity > 0)
      LIMIT $2 FOR NO KEY UPDATE))`,
};

/** Creates the store that erases accounts. */
export function createPostgresErasureStore(db: PostgresDatabase): ErasureStore {
  return {
    erase: (accountId, part, limit) =>
      db.write((tx) =>
        part === 'eventLogEntries'
          ? eraseLogEntries(tx, accountId, limit)
          : tx.run(statements[part], accountId, limit),
      ),
  };
}
