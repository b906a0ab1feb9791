import { smallestIdAt } from '@tradepost/domain/kernel/context';
import { noon } from '@tradepost/domain/test/builders';
import type { SqliteDatabase } from '../../src/stores/sqlite/database';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { Trade } from '../helpers/trade';

/** The number of rows of each event: itself, two log entries, two notifications, a delivery with two attempts. */
export const rowsOfEach = 8;

/** Creates a file with a buyer, a seller and a webhook of the buyer, for old rows. */
export async function makeFile(file: string): Promise<Trade> {
  const store = openSqliteStore(file);
  const trade = await Trade.open(store);
  await trade.subscribe(trade.buyer, ['order.created'], { id: 'whk_1' });
  await store.close();
  return trade;
}

/**
 * Inserts the rows of a number of events of noon: all of them were read, delivered and
 * attempted twice.
 */
export function insertOldRows(db: SqliteDatabase, trade: Trade, events: number): void {
  const each = `WITH RECURSIVE numbers (n) AS (
    SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${events}) INSERT INTO`;
  const createId = (prefix: 'evt' | 'dlv' | 'ntf') =>
    `'${smallestIdAt(prefix, noon)}' || printf('%015d', n)`;
  const { buyer, seller, listing } = trade;
  db.run(
    `INSERT INTO orders (id, status, buyer_id, seller_id, listing_id, quantity, version, created_at, updated_at)
     VALUES ('ord_1', 'pending', ?, ?, ?, 1, 1, ${noon}, ${noon})`,
    buyer.accountId,
    seller.accountId,
    listing.id,
  );
  db.run(
    `${each} events (id, event_type, order_id, body, created_at)
     SELECT ${createId('evt')}, 'order.created', 'ord_1', '{}', ${noon} FROM numbers`,
  );
  for (const [index, { accountId }] of [buyer, seller].entries()) {
    db.run(
      `${each} account_events (account_id, event_id)
       SELECT '${accountId}', ${createId('evt')} FROM numbers`,
    );
    db.run(
      `${each} notifications (id, account_id, event_id, type, order_id, message, read, created_at)
       SELECT ${createId('ntf')} || '${index}', '${accountId}', ${createId('evt')}, 'order_created', 'ord_1',
         'An order was created.', 1, ${noon} FROM numbers`,
    );
  }
  db.run(
    `${each} deliveries (seq, id, event_id, webhook_id, event_type, test, state, attempts, tries, deadline_at,
       last_status, created_at, finished_at)
     SELECT n, ${createId('dlv')}, ${createId('evt')}, 'whk_1', 'order.created', 0, 'delivered', 2, 2, ${noon + 1},
       200, ${noon}, ${noon + 1} FROM numbers`,
  );
  for (const number of [1, 2]) {
    db.run(
      `${each} attempts (delivery_seq, number, started_at, duration_ms, url, headers, status, response_snippet)
       SELECT n, ${number}, ${noon}, 5, 'https://receiver.example', '{}', 200, '' FROM numbers`,
    );
  }
}
