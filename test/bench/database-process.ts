import { setImmediate } from 'node:timers/promises';
import {
  createIdGenerator,
  createLog,
  insecureWebhookPolicy,
  openSqliteStore,
  seed,
  startServer,
  systemClock,
} from '@tradepost/server';
import { answerParent } from './answer-parent';
import { addPastOrders } from './past-orders';
import { placeOrder, type Trade } from './trade';

/** What one trade of a database is to have. */
export interface TradeWanted {
  /** URLs that the seller registers a webhook for each, subscribed to `order.created`. */
  urls: readonly string[];
  /** Deliveries that are to be queued for these webhooks, evenly. */
  backlog: number;
  /** Pending orders that are to be there. */
  orders: number;
  /** Orders of long ago, of which all is left that is pruned one day: none by default. They have an agent. */
  pastOrders?: number;
  /** Whether the listing has an agent: false by default. */
  hasAgent?: boolean;
}

const eventsAtOnce = 1_000;
const units = 1_000_000_000;
const newId = createIdGenerator();

async function addParties(
  file: string,
  hasAgent: boolean,
): Promise<Omit<Trade, 'webhooks' | 'orders'>> {
  const store = openSqliteStore(file);
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

/** Registers webhooks as integrators do: over HTTP. Nothing is queued yet, so the engine is idle. */
async function register(file: string, apiKey: string, urls: readonly string[]) {
  const server = await startServer({
    store: openSqliteStore(file),
    log: createLog('error'),
    port: 0,
    host: '127.0.0.1',
    rateLimit: 1_000_000,
    webhookPolicy: insecureWebhookPolicy,
  });
  try {
    const webhooks: Trade['webhooks'] = [];
    for (const url of urls) {
      const answer = await fetch(`${server.url}/v1/webhooks`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ url, events: ['order.created'] }),
      });
      if (answer.status !== 201) throw new Error(`${url} was refused: ${await answer.text()}`);
      const { data } = (await answer.json()) as { data: { secret: string } };
      webhooks.push({ url, secret: data.secret });
    }
    return webhooks;
  } finally {
    await server.close();
  }
}

async function addTrade(file: string, wanted: TradeWanted): Promise<Trade> {
  const { urls, backlog, orders, pastOrders = 0, hasAgent = false } = wanted;
  const parties = await addParties(file, hasAgent);
  const store = openSqliteStore(file);
  const placed: string[] = [];
  try {
    // Before there are webhooks: these orders are not to be delivered.
    for (let number = 0; number < orders; number += 1) {
      placed.push(await placeOrder(store, parties, newId));
    }
  } finally {
    await store.close();
  }
  const webhooks = await register(file, parties.seller.apiKey, urls);
  const trade = { ...parties, webhooks, orders: placed };
  await addPastOrders(file, parties, pastOrders);
  await queue(file, trade, backlog);
  return trade;
}

/** Queues deliveries by the store's own verbs, many events in one transaction. */
async function queue(file: string, trade: Trade, backlog: number): Promise<void> {
  const store = openSqliteStore(file);
  try {
    let left = Math.ceil(backlog / Math.max(1, trade.webhooks.length));
    while (left > 0) {
      const events = Math.min(left, eventsAtOnce);
      await placeOrder(store, trade, newId, { events, tellBuyer: false });
      left -= events;
      await setImmediate();
    }
  } finally {
    await store.close();
  }
}

const verbs = {
  /** Makes a database with some trades, each with accounts of its own. */
  async make({ file, trades }: { file: string; trades: TradeWanted[] }): Promise<Trade[]> {
    const made: Trade[] = [];
    for (const wanted of trades) made.push(await addTrade(file, wanted));
    return made;
  },
};

/** What can be asked of it. */
export type DatabaseVerbs = typeof verbs;

answerParent(verbs);
