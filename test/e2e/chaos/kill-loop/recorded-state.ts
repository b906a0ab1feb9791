import type { EventType, OrderStatus } from '@tradepost/sdk';
import Database from 'better-sqlite3';

/** An order in the database. */
export interface RecordedOrder {
  id: string;
  status: OrderStatus;
  buyerId: string;
  sellerId: string;
  agentId: string | null;
  listingId: string;
  quantity: number;
}

/** An event in the database. */
export interface RecordedEvent {
  id: string;
  type: EventType;
  orderId: string;
  /** The body that is delivered. */
  body: string;
}

/** A delivery in the database. */
export interface RecordedDelivery {
  eventId: string;
  webhookId: string;
  state: string;
  /** Attempts that were recorded. */
  attempts: number;
}

/** The part of the database that the audit checks. */
export interface RecordedState {
  orders: RecordedOrder[];
  /** In the order of creation. */
  events: RecordedEvent[];
  notifications: { eventId: string; accountId: string }[];
  deliveries: RecordedDelivery[];
  listings: { id: string; available: number }[];
  /** The result of `PRAGMA integrity_check`: `ok`. */
  integrity: unknown;
  /** The result of `PRAGMA foreign_key_check`: empty. */
  brokenReferences: unknown[];
}

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

const deliveryColumns = 'event_id AS eventId, webhook_id AS webhookId, state, attempts';

/** Reads the recorded state. No other connection may write to the database meanwhile. */
export function readRecordedState(file: string): RecordedState {
  return withReadConnection(file, (connection) => {
    const all = <Row>(sql: string) => connection.prepare<[], Row>(sql).all();
    return {
      orders: all(
        `SELECT id, status, buyer_id AS buyerId, seller_id AS sellerId, agent_id AS agentId,
           listing_id AS listingId, quantity FROM orders`,
      ),
      events: all('SELECT id, kind AS type, order_id AS orderId, body FROM events ORDER BY id'),
      notifications: all('SELECT event_id AS eventId, account_id AS accountId FROM notifications'),
      deliveries: all(`SELECT ${deliveryColumns} FROM deliveries`),
      listings: all('SELECT id, available_quantity AS available FROM listings'),
      integrity: connection.pragma('integrity_check', { simple: true }),
      brokenReferences: connection.pragma('foreign_key_check') as unknown[],
    };
  });
}

/** Reads the pending deliveries while a server uses the database. */
export function readPending(file: string): RecordedDelivery[] {
  const sql = `SELECT ${deliveryColumns} FROM deliveries WHERE state = 'pending'`;
  return withReadConnection(file, (connection) =>
    connection.prepare<[], RecordedDelivery>(sql).all(),
  );
}
