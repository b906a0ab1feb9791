import type { AccountKind, OrderStatus } from '@tradepost/contract/wire';
import { type Caller, createAccount } from '@tradepost/domain/accounts/account';
import { toCaller } from '@tradepost/domain/accounts/authentication';
import {
  type Clock,
  createContext,
  createIdGenerator,
  type IdGenerator,
  systemClock,
} from '@tradepost/domain/kernel/context';
import { createListing, type Listing } from '@tradepost/domain/listings/listing';
import { changeStatus, placeOrder } from '@tradepost/domain/orders/order';
import type { Command } from 'commander';
import { issueKey } from '../kernel/api-key';
import type { Store } from '../stores/store';
import { databaseOption, jsonOption } from './options';
import { type Streams, toJsonText } from './output';
import { withStore } from './with-store';

function printDemoData({ accounts, listings, orders }: SeedResult, streams: Streams): void {
  const out = (line: string) => streams.stdout.write(`${line}\n`);
  out('Accounts (the API keys are shown only once):');
  for (const { kind, name, id, apiKey } of accounts) {
    out(`  ${kind.padEnd(6)}  ${name.padEnd(22)}  ${id}  ${apiKey}`);
  }
  out('Listings:');
  for (const { id, title, availableQuantity } of listings) {
    out(`  ${id}  ${title}, ${availableQuantity} available`);
  }
  out('Orders:');
  for (const { id, status, quantity } of orders) {
    out(`  ${id}  ${status.padEnd(10)}  quantity ${quantity}`);
  }
}

async function seedRun(
  options: { database: string; json?: boolean },
  streams: Streams,
): Promise<void> {
  const result = await withStore(options.database, (store) =>
    seed(store, systemClock, createIdGenerator()),
  );
  if (options.json) streams.stdout.write(`${toJsonText(result)}\n`);
  else printDemoData(result, streams);
}

/** `tradepost-server seed`. */
export function addSeedCommand(program: Command, streams: Streams): void {
  program
    .command('seed')
    .description('add demo data: accounts of each kind, listings, orders with every status')
    .addOption(jsonOption())
    .addOption(databaseOption())
    .action((options) => seedRun(options, streams));
}

/** An account of the demo data, with the only copy of its key. */
export interface SeededAccount {
  id: string;
  kind: AccountKind;
  name: string;
  apiKey: string;
}

/** The demo data: what a new user needs to try each endpoint. */
export interface SeedResult {
  /** A buyer, a seller and an agent, and a second buyer who cannot see the first one's orders. */
  accounts: SeededAccount[];
  listings: { id: string; title: string; availableQuantity: number }[];
  /** At least one with each status. */
  orders: { id: string; status: OrderStatus; quantity: number }[];
}

const steps: { quantity: number; statuses: OrderStatus[]; listing: 'coffee' | 'tea' }[] = [
  { quantity: 12, statuses: [], listing: 'coffee' },
  { quantity: 40, statuses: [], listing: 'tea' },
  { quantity: 25, statuses: ['confirmed'], listing: 'coffee' },
  { quantity: 8, statuses: ['confirmed', 'fulfilling'], listing: 'tea' },
  { quantity: 60, statuses: ['fulfilling', 'completed'], listing: 'coffee' },
  { quantity: 5, statuses: ['cancelled'], listing: 'tea' },
];

/**
 * Adds the demo data to a store by the rules of the domain: each order is placed by its buyer and updated by its seller, so that
 * its events and notifications exist too. Each call adds another set.
 */
export async function seed(store: Store, clock: Clock, newId: IdGenerator): Promise<SeedResult> {
  const accounts: SeededAccount[] = [];

  async function addAccount(kind: AccountKind, name: string): Promise<Caller> {
    const context = createContext(clock, newId);
    const account = createAccount(kind, name, context);
    const { record, apiKey } = issueKey(
      { accountId: account.id, readOnly: false, expiresAt: null },
      context,
    );
    await store.accounts.addAccount(account, record);
    accounts.push({ id: account.id, kind, name, apiKey });
    return toCaller({ ...record, kind });
  }

  const buyer = await addAccount('buyer', 'Harbour Street Café');
  const seller = await addAccount('seller', 'Highland Growers');
  const agent = await addAccount('agent', 'Quayside Brokers');
  await addAccount('buyer', 'Corner Shop');

  async function addListing(
    title: string,
    { units, low, agentId }: { units: number; low: number; agentId: string | null },
  ): Promise<Listing> {
    const listing = createListing(
      { sellerId: seller.accountId, agentId, title, availableQuantity: units, lowThreshold: low },
      createContext(clock, newId),
    );
    await store.listings.addListing(listing);
    return listing;
  }

  const listings = {
    coffee: await addListing('Coffee, washed, 60 kg bags', {
      units: 500,
      low: 50,
      agentId: agent.accountId,
    }),
    tea: await addListing('Tea, second flush, 5 kg chests', { units: 200, low: 20, agentId: null }),
  };

  const orders: SeedResult['orders'] = [];
  for (const { quantity, statuses, listing } of steps) {
    const listingId = listings[listing].id;
    const placedAt = createContext(clock, newId);
    let order = await store.orders
      .placeOrder({ listingId, idempotencyKey: null, context: placedAt }, (found, at) => {
        const change = placeOrder(buyer, { listingId, quantity }, found, at);
        return { change, response: { status: 201, headers: {}, body: change.order } };
      })
      .then(({ response }) => response.body);
    for (const to of statuses) {
      const context = createContext(clock, newId);
      const request = { caller: seller, id: order.id, to, ifMatch: undefined };
      ({ order } = await store.orders.changeOrder(order.id, context, (found, at) =>
        changeStatus(request, found, at),
      ));
    }
    orders.push({ id: order.id, status: order.status, quantity });
  }

  async function describeListing({ id, title }: Listing) {
    const listing = await store.listings.findListing(id);
    return { id, title: title ?? '', availableQuantity: listing?.availableQuantity ?? 0 };
  }
  return {
    accounts,
    listings: [await describeListing(listings.coffee), await describeListing(listings.tea)],
    orders,
  };
}
