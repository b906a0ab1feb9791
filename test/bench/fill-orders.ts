import Database from 'better-sqlite3';
import type { TradingAccounts } from './trading-accounts';

const statusesInTurn = ['pending', 'confirmed', 'fulfilling', 'completed', 'cancelled'];

/**
 * Which statuses the orders have: each in turn, or by age. By age most are completed, but none of the newest 5%, and none of
 * those between 60% and 80% of the way from the oldest to the newest.
 */
export type FilledStatuses = 'in turn' | 'by age';

const inTurn = statusesInTurn.map((status, index) => `WHEN ${index} THEN '${status}'`).join(' ');
const statusSql = {
  'in turn': `CASE number % ${statusesInTurn.length} ${inTurn} END`,
  'by age': `CASE WHEN number < @count * 0.6 THEN 'completed' WHEN number < @count * 0.7 THEN 'cancelled'
    WHEN number < @count * 0.8 THEN 'fulfilling' WHEN number < @count * 0.95 THEN 'completed'
    ELSE 'pending' END`,
};

/**
 * Adds orders by one SQL statement, a second apart, the last one now. All are of the same buyer, seller and agent, so that each
 * of their lists has all of them. They have no events. Nothing else may use the database, and a crash ruins it.
 */
export function fillOrders(
  file: string,
  trade: Omit<TradingAccounts, 'webhooks' | 'orders'>,
  { count, statuses }: { count: number; statuses: FilledStatuses },
): void {
  if (count === 0) return;
  const db = new Database(file, { fileMustExist: true });
  try {
    // Millions of new rows need no journal on disk: they would be written twice.
    db.pragma('journal_mode = MEMORY');
    db.pragma('synchronous = OFF');
    db.pragma('foreign_keys = OFF');
    db.prepare(
      `INSERT INTO orders (id, status, buyer_id, seller_id, agent_id, listing_id, quantity, version,
         created_at, updated_at)
       WITH RECURSIVE numbers (number) AS (
         SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number + 1 < @count)
       SELECT format('ord_01%s%020d', @group, number), ${statusSql[statuses]}, @buyer,
         @seller, @agent, @listing, 1, 1, @first + number * 1000, @first + number * 1000
       FROM numbers`,
    ).run({
      count,
      // Other accounts may have orders in the same database.
      group: trade.buyer.id.slice(-4),
      buyer: trade.buyer.id,
      seller: trade.seller.id,
      agent: trade.agent.id,
      listing: trade.listingId,
      first: Date.now() - count * 1000,
    });
    db.pragma('journal_mode = WAL');
  } finally {
    db.close();
  }
}
