import type { SeedResult } from '@tradepost/server';
import { runServerCommand } from '../../../helpers/run-server-command';

/** An account that takes part, with its API key. */
export interface Trader {
  id: string;
  apiKey: string;
}

/** A listing that takes part. */
export interface SeedListing {
  id: string;
  sellerId: string;
  agentId: string | null;
  /** Available units before the loop starts. */
  available: number;
}

/** Accounts that trade with one another, and their listings. */
export interface Market {
  buyers: [Trader, Trader];
  seller: Trader;
  agent: Trader;
  /** Soon have low availability, then none. */
  scarce: SeedListing[];
  /** Never sells out. */
  plentiful: SeedListing;
}

/** Independent markets in one database. */
export interface SeedData {
  markets: Market[];
  /** Orders that existed before the loop. No client uses them. */
  seededOrders: Set<string>;
}

const plentifulQuantity = 1_000_000;

async function createMarket(database: string): Promise<{ market: Market; orders: string[] }> {
  const seeded = await runServerCommand<SeedResult>(['seed'], database);
  const [buyer, seller, agent, other] = seeded.accounts;
  const [coffee, tea] = seeded.listings;
  if (!(buyer && seller && agent && other && coffee && tea)) {
    throw new Error('tradepost-server seed created less data than the loop needs.');
  }
  const parties = ['--seller', seller.id, '--agent', agent.id];
  const big = await runServerCommand<{ id: string }>(
    ['listings', 'create', ...parties, '--quantity', String(plentifulQuantity)],
    database,
  );
  const sellerId = seller.id;
  const scarce = [
    { id: coffee.id, sellerId, agentId: agent.id, available: coffee.availableQuantity },
    { id: tea.id, sellerId, agentId: null, available: tea.availableQuantity },
  ];
  const plentiful = { id: big.id, sellerId, agentId: agent.id, available: plentifulQuantity };
  const market: Market = { buyers: [buyer, other], seller, agent, scarce, plentiful };
  return { market, orders: seeded.orders.map(({ id }) => id) };
}

/** Creates a database with the commands of an operator. */
export async function createSeedData(database: string, markets: number): Promise<SeedData> {
  const made = await Promise.all(Array.from({ length: markets }, () => createMarket(database)));
  return {
    markets: made.map(({ market }) => market),
    seededOrders: new Set(made.flatMap(({ orders }) => orders)),
  };
}
