import type { EventType, OrderStatus } from '@tradepost/sdk';
import Database from 'better-sqlite3';

/** An order as the database has it. */
export interface BookedOrder {
  id: string;
  status: OrderStatus;
  buyerId: string;
  sellerId: string;
  agentId: string | null;
  listingId: string;
  quantity: number;
}

/** An event as the database has it. */
export interface BookedEvent {
  id: string;
  kind: EventType;
  orderId: string;
  /** The bytes that are delivered. */
  body: string;
}

/** A delivery as the database has it. */
export interface BookedDelivery {
  eventId: string;
  webhookId: string;
  state: string;
  /** Attempts that were recorded. */
  attempts: number;
}

/** What is in the database, as far as those outside can hold the server to it. */
export interface Books {
  orders: BookedOrder[];
  /** In the order of their making. */
  events: BookedEvent[];
  notifications: { eventId: string; accountId: string }[];
  deliveries: BookedDelivery[];
  listings: { id: string; available: number }[];
  /** What `PRAGMA integrity_check` says: `ok`. */
  integrity: unknown;
  /** What `PRAGMA foreign_key_check` finds: nothing. */
  brokenReferences: unknown[];
}

function inspect<Result>(file: string, look: (connection: Database.Database) => Result): Result {
  const connection = new Database(file, { readonly: true });
  try {
    return look(connection);
  } finally {
    connection.close();
  }
}

const deliveryColumns = 'event_id AS eventId, webhook_id AS webhookId, state, attempts';

/** Reads the books of a database. Nothing else may write to it meanwhile. */
export function readBooks(file: string): Books {
  return inspect(file, (connection) => {
    const all = <Row>(sql: string) => connection.prepare<[], Row>(sql).all();
    return {
      orders: all(
        `SELECT id, status, buyer_id AS buyerId, seller_id AS sellerId, agent_id AS agentId,
           listing_id AS listingId, quantity FROM orders`,
      ),
      events: all('SELECT id, kind, order_id AS orderId, body FROM events ORDER BY id'),
      notifications: all('SELECT event_id AS eventId, account_id AS accountId FROM notifications'),
      deliveries: all(`SELECT ${deliveryColumns} FROM deliveries`),
      listings: all('SELECT id, available_quantity AS available FROM listings'),
      integrity: connection.pragma('integrity_check', { simple: true }),
      brokenReferences: connection.pragma('foreign_key_check') as unknown[],
    };
  });
}

/** The deliveries of a database that are yet to be made, while a server works on it. */
export function readPending(file: string): BookedDelivery[] {
  const sql = `SELECT ${deliveryColumns} FROM deliveries WHERE state = 'pending'`;
  return inspect(file, (connection) => connection.prepare<[], BookedDelivery>(sql).all());
}
