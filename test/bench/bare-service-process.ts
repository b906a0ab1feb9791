import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import Database from 'better-sqlite3';
import express from 'express';
import { listenOnLoopback } from '../helpers/loopback';
import { serveParent } from './serve-parent';

interface OrderRow {
  id: string;
  status: string;
  buyer_id: string;
  seller_id: string;
  agent_id: string | null;
  listing_id: string;
  quantity: number;
  created_at: number;
  updated_at: number;
}

/** What a bare service serves: the orders of one seller and one buyer, without authentication or validation. */
export interface BareServiceSpec {
  file: string;
  buyerId: string;
  sellerId: string;
  listingId: string;
  /** The webhook for whose queue each new order writes a delivery. */
  webhookId: string;
  framework: 'node:http' | 'express';
}

const toOrder = (row: OrderRow) => ({
  id: row.id,
  status: row.status,
  buyerId: row.buyer_id,
  sellerId: row.seller_id,
  agentId: row.agent_id,
  listingId: row.listing_id,
  quantity: row.quantity,
  createdAt: new Date(row.created_at).toISOString(),
  updatedAt: new Date(row.updated_at).toISOString(),
});

function openDatabase({ file, buyerId, sellerId, listingId, webhookId }: BareServiceSpec) {
  const db = new Database(file, { fileMustExist: true });
  // The same guarantees as those of our server.
  for (const setting of [
    'journal_mode = WAL',
    'synchronous = FULL',
    'foreign_keys = ON',
    'secure_delete = ON',
    'temp_store = MEMORY',
  ]) {
    db.pragma(setting);
  }
  const selectPage = db.prepare<[string, string, number], OrderRow>(
    `SELECT * FROM orders INDEXED BY orders_of_seller_by_status WHERE seller_id = ? AND status = ?
     ORDER BY created_at DESC, id DESC LIMIT 0 + ?`,
  );
  const insertOrder = db.prepare(
    `INSERT INTO orders (id, status, buyer_id, seller_id, agent_id, listing_id, quantity, version,
       created_at, updated_at) VALUES (?, 'pending', ?, ?, NULL, ?, ?, 1, ?, ?)`,
  );
  const takeUnits = db.prepare(
    'UPDATE listings SET available_quantity = available_quantity - ? WHERE id = ?',
  );
  const insertEvent = db.prepare(
    "INSERT INTO events (id, event_type, order_id, body, created_at) VALUES (?, 'order.created', ?, ?, ?)",
  );
  const insertNotification = db.prepare(
    `INSERT INTO notifications (id, account_id, event_id, type, order_id, message, read, created_at)
     VALUES (?, ?, ?, 'order.created', ?, ?, 0, ?)`,
  );
  const insertDelivery = db.prepare(
    `INSERT INTO deliveries (id, event_id, webhook_id, event_type, test, state, attempts, tries, due_at,
       scheduled_at, deadline_at, lease_counts, created_at)
     VALUES (?, ?, ?, 'order.created', 0, 'pending', 0, 0, ?, ?, ?, 0, ?)`,
  );
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');

  let lastId = 0;
  const newId = (prefix: string) => {
    lastId += 1;
    return `${prefix}_01KAJ8Q0V7${String(lastId).padStart(16, '0')}`;
  };

  function writeOrder(quantity: number) {
    const now = Date.now();
    const id = newId('ord');
    const eventId = newId('evt');
    const dates = {
      createdAt: new Date(now).toISOString(),
      updatedAt: new Date(now).toISOString(),
    };
    const parties = { buyerId, sellerId, agentId: null, listingId, quantity, status: 'pending' };
    const envelope = {
      event: 'order.created',
      createdAt: dates.createdAt,
      data: { orderId: id, ...parties },
    };
    insertOrder.run(id, buyerId, sellerId, listingId, quantity, now, now);
    takeUnits.run(quantity, listingId);
    insertEvent.run(eventId, id, JSON.stringify(envelope), now);
    for (const accountId of [buyerId, sellerId]) {
      insertNotification.run(newId('ntf'), accountId, eventId, id, `Order ${id} was created.`, now);
    }
    insertDelivery.run(newId('dlv'), eventId, webhookId, now, now, now + 86_400_000, now);
    return { id, ...parties, ...dates };
  }

  let waiting: { quantity: number; resolve: (order: object) => void }[] = [];
  function commitGroup(): void {
    const group = waiting;
    waiting = [];
    begin.run();
    const orders = group.map(({ quantity }) => writeOrder(quantity));
    commit.run();
    for (const [index, { resolve }] of group.entries()) resolve(orders[index] ?? {});
  }

  return {
    /** Reads the newest orders with a status. */
    readPage(status: string, limit: number) {
      const rows = selectPage.all(sellerId, status, limit + 1);
      const last = rows[limit - 1];
      const nextCursor =
        rows.length > limit && last
          ? Buffer.from(`${last.created_at}.${last.id}`).toString('base64url')
          : null;
      return { data: rows.slice(0, limit).map(toOrder), nextCursor };
    },
    /** Creates an order, in one transaction with those that are created in the same turn of the event loop. */
    createOrder(quantity: number): Promise<object> {
      return new Promise((resolve) => {
        if (waiting.length === 0) setImmediate(commitGroup);
        waiting.push({ quantity, resolve });
      });
    },
  };
}

type Orders = ReturnType<typeof openDatabase>;

async function readJson(request: IncomingMessage): Promise<{ quantity: number }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

function withNodeHttp(orders: Orders): RequestListener {
  return async (request, response) => {
    const respond = (status: number, body: object) => {
      const json = Buffer.from(JSON.stringify(body));
      response.writeHead(status, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': json.length,
      });
      response.end(json);
    };
    if (request.method === 'POST') {
      const { quantity } = await readJson(request);
      respond(201, { data: await orders.createOrder(quantity) });
      return;
    }
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    respond(
      200,
      orders.readPage(searchParams.get('status') ?? '', Number(searchParams.get('limit'))),
    );
  };
}

function withExpress(orders: Orders): RequestListener {
  const app = express();
  app.get('/v1/orders', ({ query }, res) => {
    res.json(orders.readPage(String(query.status), Number(query.limit)));
  });
  app.post('/v1/orders', express.json(), async ({ body }, res) => {
    res.status(201).json({ data: await orders.createOrder(body.quantity) });
  });
  return app;
}

const operations = {
  /** Starts a service. Returns its URL. */
  async start(spec: BareServiceSpec): Promise<string> {
    const orders = openDatabase(spec);
    const listener = spec.framework === 'express' ? withExpress(orders) : withNodeHttp(orders);
    return `http://127.0.0.1:${await listenOnLoopback(createServer(listener))}`;
  },
};

/** The operations of this process. */
export type BareServiceOperations = typeof operations;

serveParent(operations);
