import Database from 'better-sqlite3';
import type { RecordedDelivery, RecordedState } from './recorded-state';

function withReadConnection<Result>(
  file: string,
  read: (connection: Database.Database) => Result,
): Result {
  const connection = new Database(file, { readonly: true });
  try {
    return read(connection);
  } finally {
    connection.close();
  }
}

/** Lets SQLite check its file and all references. Returns what is wrong, one sentence each. */
export function checkSqliteFile(file: string): string[] {
  return withReadConnection(file, (connection) => {
    const integrity = connection.pragma('integrity_check', { simple: true });
    const brokenReferences = connection.pragma('foreign_key_check') as unknown[];
    return [
      ...(integrity === 'ok' ? [] : [`PRAGMA integrity_check says: ${integrity}`]),
      ...(brokenReferences.length === 0
        ? []
        : [`PRAGMA foreign_key_check finds ${JSON.stringify(brokenReferences)}.`]),
    ];
  });
}

const deliveryColumns = 'event_id AS eventId, webhook_id AS webhookId, state, attempts';

/** Reads the recorded state. No other connection may write to the database meanwhile. */
export function readSqliteState(file: string): RecordedState {
  return withReadConnection(file, (connection) => {
    const all = <Row>(sql: string) => connection.prepare<[], Row>(sql).all();
    return {
      orders: all(
        `SELECT id, status, buyer_id AS buyerId, seller_id AS sellerId, agent_id AS agentId,
           listing_id AS listingId, quantity FROM orders`,
      ),
      events: all(
        'SELECT id, event_type AS type, order_id AS orderId, body FROM events ORDER BY id',
      ),
      notifications: all('SELECT event_id AS eventId, account_id AS accountId FROM notifications'),
      deliveries: all(`SELECT ${deliveryColumns} FROM deliveries`),
      listings: all('SELECT id, available_quantity AS available FROM listings'),
      faults: [],
    };
  });
}

/** Reads the pending deliveries while a server uses the database. */
export function readSqlitePending(file: string): RecordedDelivery[] {
  const sql = `SELECT ${deliveryColumns} FROM deliveries WHERE state = 'pending'`;
  return withReadConnection(file, (connection) =>
    connection.prepare<[], RecordedDelivery>(sql).all(),
  );
}
