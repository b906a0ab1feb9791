import { createIdGenerator, type IdGenerator, openStore, type Store } from '@tradepost/server';
import pg from 'pg';
import { machineTime } from './loops';
import { serveParent } from './serve-parent';
import { placeOrder, type TradingAccounts } from './trading-accounts';

/** Which orders to change, and how many of them at the same time. */
interface ChangesSpec {
  ids: string[];
  callers: number;
}

const update =
  "UPDATE orders SET status = 'confirmed', version = version + 1, updated_at = $2 WHERE id = $1";
const newId = createIdGenerator();

let store: Store;
let trade: TradingAccounts;
let pool: pg.Pool;

/** Confirms an order through the store: everything that `PATCH` does except HTTP and the rules. */
async function confirm(id: string): Promise<void> {
  const now = Date.now();
  const context = { now, newId: (prefix: Parameters<IdGenerator>[0]) => newId(prefix, now) };
  await store.orders.changeOrder(id, context, (found) => {
    if (found === null) throw new Error(`There is no order ${id}.`);
    const order = {
      ...found.order,
      status: 'confirmed' as const,
      version: found.order.version + 1,
      updatedAt: now,
    };
    const createdAt = new Date(now).toISOString();
    const { status: previousStatus, buyerId, sellerId, agentId } = found.order;
    const data = { orderId: id, buyerId, sellerId, agentId, previousStatus, status: order.status };
    const event = {
      id: context.newId('evt'),
      eventType: 'order.status_changed' as const,
      createdAt: now,
      body: JSON.stringify({ event: 'order.status_changed', createdAt, data }),
      orderId: id,
      orderVersion: order.version,
      recipients: [trade.buyer.id, trade.seller.id, trade.agent.id],
      message: `Order ${id} was confirmed.`,
      actorId: null,
      actorKind: null,
    };
    return { order, listing: found.listing, task: null, events: [event] };
  });
}

/** Does something with each order, some at a time. Returns the milliseconds that each took on average. */
async function changeEach(
  { ids, callers }: ChangesSpec,
  change: (id: string) => Promise<unknown>,
): Promise<number> {
  let next = 0;
  const startedAt = machineTime();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let id = ids[next++]; id !== undefined; id = ids[next++]) await change(id);
    }),
  );
  return (machineTime() - startedAt) / ids.length;
}

async function withClient(work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  await work(client);
  client.release();
}

const operations = {
  /** Opens a database with an agent's listing, whose seller has webhooks for changed statuses. */
  async open(options: { url: string; trade: TradingAccounts; connections: number }): Promise<void> {
    const { url, connections } = options;
    ({ trade } = options);
    store = await openStore(url, { maxConnections: connections });
    pool = new pg.Pool({ connectionString: url, max: connections, pipeline: true });
  },

  /** Places orders and returns their IDs. */
  async place(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let number = 0; number < count; number += 1) {
      ids.push(await placeOrder(store, trade, newId));
    }
    return ids;
  },

  /** Confirms orders as `PATCH` does: with an event, its entries in the event log, notifications and deliveries. */
  confirm: (spec: ChangesSpec): Promise<number> => changeEach(spec, confirm),

  /** Only updates the orders, each in a transaction whose statements wait for each other. */
  update: (spec: ChangesSpec): Promise<number> =>
    changeEach(spec, (id) =>
      withClient(async (client) => {
        await client.query('BEGIN');
        await client.query({ name: 'update', text: update, values: [id, Date.now()] });
        await client.query('COMMIT');
      }),
    ),

  /** The same with the whole transaction sent at once. */
  updateAtOnce: (spec: ChangesSpec): Promise<number> =>
    changeEach(spec, (id) =>
      withClient(async (client) => {
        await Promise.all([
          client.query('BEGIN'),
          client.query({ name: 'update', text: update, values: [id, Date.now()] }),
          client.query('COMMIT'),
        ]);
      }),
    ),
};

/** The operations of this process. */
export type EnqueueOperations = typeof operations;

serveParent(operations);
