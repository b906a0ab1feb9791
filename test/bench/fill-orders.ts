import Database from 'better-sqlite3';
import type { TradingAccounts } from './trading-accounts';

/** The statuses of filled orders, in turn. */
export const filledStatuses = ['pending', 'confirmed', 'fulfilling', 'completed', 'cancelled'];

/**
 * Adds orders by one SQL statement, a second apart, the last one now. All are of the same buyer, seller and agent, so that each
 * of their lists has all of them. They have no events.
 */
export function fillOrders(
  file: string,
  trade: Omit<TradingAccounts, 'webhooks' | 'orders'>,
  count: number,
): void {
  if (count === 0) return;
  const db = new Database(file, { fileMustExist: true });
  try {
    db.pragma('synchronous = OFF');
    const statuses = filledStatuses.map((status, index) => `WHEN ${index} THEN '${status}'`);
    db.prepare(
      `INSERT INTO orders (id, status, buyer_id, seller_id, agent_id, listing_id, quantity, version,
         created_at, updated_at)
       WITH RECURSIVE numbers (number) AS (
         SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number + 1 < @count)
       SELECT format('ord_01AAAA%020d', number), CASE number % 5 ${statuses.join(' ')} END, @buyer,
         @seller, @agent, @listing, 1, 1, @first + number * 1000, @first + number * 1000
       FROM numbers`,
    ).run({
      count,
      buyer: trade.buyer.id,
      seller: trade.seller.id,
      agent: trade.agent.id,
      listing: trade.listingId,
      first: Date.now() - count * 1000,
    });
    db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}
