import { Tradepost } from '@tradepost/sdk';
import { mockTradepost } from '@tradepost/sdk/testing';
import {
  createIdGenerator,
  createLog,
  openSqliteStore,
  type Store,
  seed,
  startServer,
  strictWebhookPolicy,
} from '@tradepost/server';

/** The accounts of both services: those of the seed, whose second buyer is the stranger. */
export const accountNames = ['buyer', 'seller', 'agent', 'stranger'] as const;

/** An account of both services. */
export type AccountName = (typeof accountNames)[number];

/** A service under test, with the same data as the other one. */
export interface Service {
  name: string;
  /** Returns the client of an account. */
  as(account: AccountName): Tradepost;
}

/** The reference server and the mock, with the same data and one clock. */
export interface TwoServices {
  services: readonly [reference: Service, mock: Service];
  /** Stops the reference server. */
  close(): Promise<void>;
}

const start = Date.parse('2026-11-21T09:30:00.000Z');

/** A store whose deliveries stay as they are queued: no worker gets any. The mock has no worker either. */
function withoutWorker(store: Store): Store {
  return {
    ...store,
    deliveries: {
      ...store.deliveries,
      leaseDue: async () => [],
      nextDueAt: async () => null,
      adjustToClock: async () => undefined,
    },
  };
}

/** Starts the reference server with its demo data, and a mock with the same data. */
export async function startTwoServices(): Promise<TwoServices> {
  let now = start;
  const clock = {
    now: () => now,
    elapsed: () => performance.now(),
    schedule(milliseconds: number, work: () => void) {
      const timer = setTimeout(work, milliseconds).unref();
      return () => clearTimeout(timer);
    },
  };
  const store = openSqliteStore(':memory:');
  const newId = createIdGenerator();
  const { accounts } = await seed(store, clock, newId);
  const server = await startServer({
    store: withoutWorker(store),
    clock,
    log: createLog('silent'),
    host: '127.0.0.1',
    port: 0,
    rateLimit: 1_000_000,
    webhookPolicy: strictWebhookPolicy,
    docs: false,
  });
  const clients = accounts.map(({ apiKey }) => new Tradepost({ baseUrl: server.url, apiKey }));
  const mock = await createSeededMock(() => now);
  // The IDs of the seed and those of the server come from two generators, so they sort by time alone.
  now += 1;
  return {
    services: [
      { name: 'reference', as: (account) => clients[accountNames.indexOf(account)] as Tradepost },
      { name: 'mock', as: mock },
    ],
    close: () => server.close(),
  };
}

/** What `tradepost-server seed` does, by calls of the client. */
const seededOrders = [
  { listing: 'coffee', quantity: 12, statuses: [] },
  { listing: 'tea', quantity: 40, statuses: [] },
  { listing: 'coffee', quantity: 25, statuses: ['confirmed'] },
  { listing: 'tea', quantity: 8, statuses: ['confirmed', 'fulfilling'] },
  { listing: 'coffee', quantity: 60, statuses: ['fulfilling', 'completed'] },
  { listing: 'tea', quantity: 5, statuses: ['cancelled'] },
] as const;

async function createSeededMock(now: () => number): Promise<Service['as']> {
  const { as, accounts, addAccount, addListing } = mockTradepost({ now });
  const stranger = addAccount({ name: 'Corner Shop' });
  const listings = {
    coffee: addListing({
      title: 'Coffee, washed, 60 kg bags',
      availableQuantity: 500,
      lowThreshold: 50,
      agentId: accounts.agent.id,
    }),
    tea: addListing({
      title: 'Tea, second flush, 5 kg chests',
      availableQuantity: 200,
      lowThreshold: 20,
    }),
  };
  for (const { listing, quantity, statuses } of seededOrders) {
    const { id: listingId } = listings[listing];
    const { id } = await as('buyer').orders.create({ listingId, quantity });
    for (const status of statuses) await as('seller').orders.update(id, { status });
  }
  return (account) => as(account === 'stranger' ? stranger : account);
}
