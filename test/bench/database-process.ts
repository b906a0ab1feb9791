import { setImmediate } from 'node:timers/promises';
import type { EventType } from '@tradepost/contract';
import {
  createIdGenerator,
  createLog,
  insecureWebhookPolicy,
  openSqliteStore,
  type Store,
  seed,
  startServer,
  systemClock,
} from '@tradepost/server';
import { type FilledStatuses, fillOrders } from './fill-orders';
import { addPastOrders } from './past-orders';
import { serveParent } from './serve-parent';
import { placeOrder, type TradingAccounts } from './trading-accounts';

/** What to create for one group of trading accounts. */
export interface DatabaseSpec {
  /** URLs. The seller registers a webhook for each, for `order.created`. */
  urls: readonly string[];
  /** The number of deliveries to queue, evenly over these webhooks. */
  backlog: number;
  /** The number of pending orders. */
  orders: number;
  /** The number of old orders with everything that is pruned. They have an agent. Only in SQLite. Defaults to none. */
  pastOrders?: number;
  /** Whether the listing has an agent. Defaults to false. */
  hasAgent?: boolean;
  /** The event types of the webhooks. Defaults to `order.created`. */
  events?: readonly EventType[];
  /** The number of orders without events that are added by SQL. They have an agent. Only in SQLite. Defaults to none. */
  filledOrders?: number;
  /** The statuses of these. Defaults to all in turn. */
  filledStatuses?: FilledStatuses;
}

const eventBatchSize = 1_000;
const units = 1_000_000_000;
const newId = createIdGenerator();

/** Opens a SQLite file or a PostgreSQL database. Other checkouts may know only the first. */
async function open(database: string): Promise<Store> {
  if (!database.startsWith('postgres:')) return openSqliteStore(database);
  const { openStore } = await import('@tradepost/server');
  return await openStore(database);
}

async function addParties(
  database: string,
  hasAgent: boolean,
): Promise<Omit<TradingAccounts, 'webhooks' | 'orders'>> {
  const store = await open(database);
  try {
    const { accounts } = await seed(store, systemClock, newId);
    const [buyer, seller, agent] = accounts;
    if (!(buyer && seller && agent)) throw new Error('The seed has too few accounts.');
    const now = Date.now();
    const listingId = newId('lst', now);
    await store.listings.addListing({
      id: listingId,
      sellerId: seller.id,
      agentId: hasAgent ? agent.id : null,
      title: null,
      availableQuantity: units,
      lowThreshold: null,
      lowStockNotified: false,
      createdAt: now,
    });
    return { buyer, seller, agent, listingId };
  } finally {
    await store.close();
  }
}

/** Registers webhooks over HTTP, as integrators do. Nothing is queued yet, so the engine is idle. */
async function registerWebhooks(
  database: string,
  apiKey: string,
  { urls, events = ['order.created'] }: DatabaseSpec,
) {
  const server = await startServer({
    store: await open(database),
    log: createLog('error'),
    port: 0,
    host: '127.0.0.1',
    rateLimit: 1_000_000,
    webhookPolicy: insecureWebhookPolicy,
  });
  try {
    const webhooks: TradingAccounts['webhooks'] = [];
    for (const url of urls) {
      const response = await fetch(`${server.url}/v1/webhooks`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ url, events }),
      });
      if (response.status !== 201) throw new Error(`${url} was rejected: ${await response.text()}`);
      const { data } = (await response.json()) as { data: { id: string; secret: string } };
      webhooks.push({ id: data.id, url, secret: data.secret });
    }
    return webhooks;
  } finally {
    await server.close();
  }
}

async function addTradingAccounts(database: string, spec: DatabaseSpec): Promise<TradingAccounts> {
  const {
    backlog,
    orders,
    pastOrders = 0,
    hasAgent = false,
    filledOrders = 0,
    filledStatuses = 'in turn',
  } = spec;
  const parties = await addParties(database, hasAgent);
  const store = await open(database);
  const placed: string[] = [];
  try {
    // Before there are webhooks, so that these orders are not delivered.
    for (let number = 0; number < orders; number += 1) {
      placed.push(await placeOrder(store, parties, newId));
    }
  } finally {
    await store.close();
  }
  const webhooks = await registerWebhooks(database, parties.seller.apiKey, spec);
  const trade = { ...parties, webhooks, orders: placed };
  await addPastOrders(database, parties, pastOrders);
  fillOrders(database, parties, { count: filledOrders, statuses: filledStatuses });
  await queue(database, trade, backlog);
  return trade;
}

/** Queues deliveries through the store, many events in one transaction. */
async function queue(database: string, trade: TradingAccounts, backlog: number): Promise<void> {
  const store = await open(database);
  try {
    let left = Math.ceil(backlog / Math.max(1, trade.webhooks.length));
    while (left > 0) {
      const events = Math.min(left, eventBatchSize);
      await placeOrder(store, trade, newId, { events, notifyBuyer: false });
      left -= events;
      await setImmediate();
    }
  } finally {
    await store.close();
  }
}

const operations = {
  /** Creates a database with some groups of trading accounts. A PostgreSQL database exists and is empty. */
  async create({
    database,
    trades,
  }: {
    database: string;
    trades: DatabaseSpec[];
  }): Promise<TradingAccounts[]> {
    const made: TradingAccounts[] = [];
    for (const spec of trades) made.push(await addTradingAccounts(database, spec));
    return made;
  },
};

/** The operations of this process. */
export type DatabaseOperations = typeof operations;

serveParent(operations);
