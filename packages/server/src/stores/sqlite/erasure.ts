import type { ErasedPart, ErasureStore } from '@tradepost/domain/accounts/erasure';
import type { SqliteDatabase } from './database';

/**
 * Removes the oldest entries of a log, and remembers how far it was pruned. What was written for an account after its notifications
 * were erased goes with its entry: no notification is without one. Call inside a write.
 */
function eraseLogEntries(db: SqliteDatabase, accountId: string, limit: number): number {
  const removed = db.all<{ seq: number; eventId: string }>(
    `DELETE FROM account_events WHERE seq IN (
       SELECT seq FROM account_events WHERE account_id = ? ORDER BY seq LIMIT ?)
     RETURNING seq, event_id AS eventId`,
    accountId,
    limit,
  );
  if (removed.length === 0) return 0;
  db.run(
    `DELETE FROM notifications WHERE account_id = ?
       AND event_id IN (SELECT value FROM json_each(?))`,
    accountId,
    JSON.stringify(removed.map(({ eventId }) => eventId)),
  );
  db.run(
    `INSERT INTO event_logs (account_id, pruned_seq) VALUES (?, ?)
     ON CONFLICT (account_id) DO UPDATE SET pruned_seq = max(pruned_seq, excluded.pruned_seq)`,
    accountId,
    Math.max(...removed.map(({ seq }) => seq)),
  );
  return removed.length;
}

const statements: Record<Exclude<ErasedPart, 'eventLogEntries'>, string> = {
  notifications: `DELETE FROM notifications WHERE id IN (
    SELECT id FROM notifications WHERE account_id = ? LIMIT ?)`,
  idempotencyKeys: `DELETE FROM idempotency_keys WHERE (account_id, operation, key) IN (
    SELECT account_id, operation, key FROM idempotency_keys WHERE account_id = ? LIMIT ?)`,
  apiKeys:
    'DELETE FROM api_keys WHERE id IN (SELECT id FROM api_keys WHERE account_id = ? LIMIT ?)',
  listings: `UPDATE listings SET title = NULL, low_threshold = NULL, low_stock_notified = 0,
      supplied_quantity = supplied_quantity - available_quantity, available_quantity = 0
    WHERE id IN (
      SELECT id FROM listings WHERE seller_id = ?
        AND (title IS NOT NULL OR low_threshold IS NOT NULL OR available_quantity > 0) LIMIT ?)`,
};

/** Creates the store that erases accounts. */
export function createSqliteErasureStore(db: SqliteDatabase): ErasureStore {
  return {
    erase: (accountId, part, limit) =>
      db.writeRelaxed(() =>
        part === 'eventLogEntries'
          ? eraseLogEntries(db, accountId, limit)
          : db.run(statements[part], accountId, limit),
      ),
  };
}
