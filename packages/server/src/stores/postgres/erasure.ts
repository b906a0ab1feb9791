import type { ErasedPart, ErasureStore } from '@tradepost/domain/accounts/erasure';
import type { PostgresDatabase, Transaction } from './database';

/** Removes the oldest entries of a log, and remembers how far it was pruned. Those that no one has read have no number yet. */
async function eraseLogEntries(tx: Transaction, accountId: string, limit: number): Promise<number> {
  const numbered = await tx.rows<{ seq: number }>(
    `DELETE FROM account_events WHERE account_id = $1 AND seq = ANY (ARRAY(
       SELECT seq FROM account_events WHERE account_id = $1 AND seq IS NOT NULL ORDER BY seq LIMIT $2))
     RETURNING seq`,
    accountId,
    limit,
  );
  if (numbered.length > 0) {
    tx.send(
      'UPDATE event_logs SET pruned_seq = greatest(pruned_seq, $2::bigint) WHERE account_id = $1',
      accountId,
      Math.max(...numbered.map(({ seq }) => seq)),
    );
    return numbered.length;
  }
  return await tx.run(
    `DELETE FROM account_events WHERE account_id = $1 AND seq IS NULL AND position = ANY (ARRAY(
       SELECT position FROM account_events WHERE account_id = $1 AND seq IS NULL ORDER BY position LIMIT $2))`,
    accountId,
    limit,
  );
}

const statements: Record<Exclude<ErasedPart, 'eventLogEntries'>, string> = {
  notifications: `DELETE FROM notifications WHERE id = ANY (ARRAY(
    SELECT id FROM notifications WHERE account_id = $1 LIMIT $2))`,
  idempotencyKeys: `WITH own AS MATERIALIZED (
      SELECT account_id, operation, key FROM idempotency_keys WHERE account_id = $1 LIMIT $2)
    DELETE FROM idempotency_keys AS k USING own AS o
    WHERE k.account_id = o.account_id AND k.operation = o.operation AND k.key = o.key`,
  apiKeys: `DELETE FROM api_keys WHERE id = ANY (ARRAY(
    SELECT id FROM api_keys WHERE account_id = $1 LIMIT $2))`,
  listings: `UPDATE listings SET title = NULL, low_threshold = NULL, low_stock_notified = FALSE,
      supplied_quantity = supplied_quantity - available_quantity, available_quantity = 0
    WHERE id = ANY (ARRAY(
      SELECT id FROM listings WHERE seller_id = $1
        AND (title IS NOT NULL OR low_threshold IS NOT NULL OR available_quantity > 0) LIMIT $2))`,
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
