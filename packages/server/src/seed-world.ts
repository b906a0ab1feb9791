import type { AccountKind, OrderStatus } from '@tradepost/contract/wire';
import { type Caller, createAccount } from './accounts/account';
import { issueKey } from './accounts/api-key';
import type { Clock } from './clock';
import type { NewId } from './ids';
import { createListing, type Listing } from './listings/listing';
import { present } from './moment';
import { changeStatus } from './orders/change-status';
import { placeOrder } from './orders/place-order';
import type { Store } from './store';

/** An account of the demo world, with the only copy of its key. */
export interface SeededAccount {
  id: string;
  kind: AccountKind;
  name: string;
  apiKey: string;
}

/** The demo world: what a newcomer needs to try each endpoint. */
export interface SeededWorld {
  /** A buyer, a seller and an agent, and a second buyer who sees nothing of the first one's orders. */
  accounts: SeededAccount[];
  listings: { id: string; name: string; availableQuantity: number }[];
  /** At least one in every state. */
  orders: { id: string; status: OrderStatus; quantity: number }[];
}

const steps: { quantity: number; moves: OrderStatus[]; listing: 'coffee' | 'tea' }[] = [
  { quantity: 12, moves: [], listing: 'coffee' },
  { quantity: 40, moves: [], listing: 'tea' },
  { quantity: 25, moves: ['confirmed'], listing: 'coffee' },
  { quantity: 8, moves: ['confirmed', 'fulfilling'], listing: 'tea' },
  { quantity: 60, moves: ['fulfilling', 'completed'], listing: 'coffee' },
  { quantity: 5, moves: ['cancelled'], listing: 'tea' },
];

/**
 * Adds the demo world to a store, by the domain's own rules: each order is placed by its buyer and
 * moved by its seller, so that its events and notifications are there too. Every call adds another.
 */
export async function seedWorld(store: Store, clock: Clock, newId: NewId): Promise<SeededWorld> {
  const accounts: SeededAccount[] = [];

  async function addAccount(kind: AccountKind, name: string): Promise<Caller> {
    const moment = present(clock, newId);
    const account = createAccount(kind, name, moment);
    const { record, apiKey } = issueKey(
      { accountId: account.id, readOnly: false, expiresAt: null },
      moment,
    );
    await store.accounts.addAccount(account, record);
    accounts.push({ id: account.id, kind, name, apiKey });
    return { accountId: account.id, kind, keyId: record.id, readOnly: false };
  }

  const buyer = await addAccount('buyer', 'Harbour Street Café');
  const seller = await addAccount('seller', 'Highland Growers');
  const agent = await addAccount('agent', 'Quayside Brokers');
  await addAccount('buyer', 'Corner Shop');

  async function addListing(units: number, low: number, agentId: string | null): Promise<Listing> {
    const listing = createListing(
      { sellerId: seller.accountId, agentId, availableQuantity: units, lowThreshold: low },
      present(clock, newId),
    );
    await store.listings.addListing(listing);
    return listing;
  }

  const listings = {
    coffee: await addListing(500, 50, agent.accountId),
    tea: await addListing(200, 20, null),
  };

  const orders: SeededWorld['orders'] = [];
  for (const { quantity, moves, listing } of steps) {
    const listingId = listings[listing].id;
    const placedAt = present(clock, newId);
    let order = await store.orders
      .placeOrder({ listingId, claim: null, moment: placedAt }, (found) => {
        const change = placeOrder(buyer, { listingId, quantity }, found, placedAt);
        return { change, answer: { status: 201, headers: {}, body: change.order } };
      })
      .then(({ answer }) => answer.body);
    for (const to of moves) {
      const moment = present(clock, newId);
      const asked = { caller: seller, id: order.id, to, ifMatch: undefined };
      order = await store.orders.changeOrder(order.id, moment, (found) =>
        changeStatus(asked, found, moment),
      );
    }
    orders.push({ id: order.id, status: order.status, quantity });
  }

  async function show(name: string, { id }: Listing) {
    const listing = await store.listings.findListing(id);
    return { id, name, availableQuantity: listing?.availableQuantity ?? 0 };
  }
  return {
    accounts,
    listings: [
      await show('Coffee, washed, 60 kg bags', listings.coffee),
      await show('Tea, second flush, 5 kg chests', listings.tea),
    ],
    orders,
  };
}
