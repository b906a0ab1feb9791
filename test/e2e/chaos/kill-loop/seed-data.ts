import type { SeedResult } from '@tradepost/server';
import { runServerCommand } from '../../../helpers/run-server-command';

/** An account that takes part, with its key. */
export interface Trader {
  id: string;
  apiKey: string;
}

/** Something on sale. */
export interface WorldListing {
  id: string;
  sellerId: string;
  agentId: string | null;
  /** Units there are before the loop begins. */
  available: number;
}

/** Accounts that trade with one another, and what they trade. */
export interface Market {
  buyers: [Trader, Trader];
  seller: Trader;
  agent: Trader;
  /** Soon runs low, and out. */
  scarce: WorldListing[];
  /** Never runs out. */
  plentiful: WorldListing;
}

/** Two markets in one database that know nothing of each other. */
export interface World {
  markets: Market[];
  /** Orders that were there before the loop began; it leaves them alone. */
  firstOrders: Set<string>;
}

const plenty = 1_000_000;

async function makeMarket(database: string): Promise<{ market: Market; orders: string[] }> {
  const seeded = await runServerCommand<SeedResult>(['seed'], database);
  const [buyer, seller, agent, other] = seeded.accounts;
  const [coffee, tea] = seeded.listings;
  if (!(buyer && seller && agent && other && coffee && tea)) {
    throw new Error('tradepost-server seed made less than the loop needs.');
  }
  const parties = ['--seller', seller.id, '--agent', agent.id];
  const big = await runServerCommand<{ id: string }>(
    ['listings', 'create', ...parties, '--quantity', String(plenty)],
    database,
  );
  const sellerId = seller.id;
  const scarce = [
    { id: coffee.id, sellerId, agentId: agent.id, available: coffee.availableQuantity },
    { id: tea.id, sellerId, agentId: null, available: tea.availableQuantity },
  ];
  const plentiful = { id: big.id, sellerId, agentId: agent.id, available: plenty };
  const market: Market = { buyers: [buyer, other], seller, agent, scarce, plentiful };
  return { market, orders: seeded.orders.map(({ id }) => id) };
}

/** Fills a new database, as an operator does. */
export async function makeWorld(database: string): Promise<World> {
  const made = await Promise.all([makeMarket(database), makeMarket(database)]);
  return {
    markets: made.map(({ market }) => market),
    firstOrders: new Set(made.flatMap(({ orders }) => orders)),
  };
}
