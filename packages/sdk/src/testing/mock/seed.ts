import type { OrderStatus } from '@tradepost/contract/wire';
import type { AccountKind, Notification, Order } from '../../index';
import type { AccountRecord, ListingRecord, Market, MockAccount, MockListing } from './market';
import { toNotification } from './notifications';
import { toOrder } from './orders';
import { requireKnown } from './require-known';

/** The accounts that every mock has. */
export type MockAccounts = Readonly<Record<AccountKind, MockAccount>>;

/** The fields of an account; those that are left out get defaults. */
export type MockAccountOverrides = Partial<Pick<MockAccount, 'id' | 'kind' | 'name' | 'readOnly'>>;

/** The fields of a listing; those that are left out get defaults. */
export type MockListingOverrides = Partial<MockListing>;

/** The fields of an order; those that are left out get defaults. */
export type MockOrderOverrides = Partial<Omit<Order, 'status'>> & { status?: OrderStatus };

/** The fields of a notification, and the account that gets it; those that are left out get defaults. */
export type MockNotificationOverrides = Partial<Notification> & { accountId?: string };

const names: Record<AccountKind, string> = {
  buyer: 'Harbour Street Café',
  seller: 'Highland Growers',
  agent: 'Quayside Brokers',
};

/** Adds an account, by default another buyer. */
export function addAccount(market: Market, overrides: MockAccountOverrides = {}): AccountRecord {
  const { clock, accounts } = market;
  const { kind = 'buyer' } = overrides;
  requireKnown('addAccount', overrides, { id: true, kind: true, name: true, readOnly: true });
  if (!Object.hasOwn(names, kind)) {
    throw new TypeError(`addAccount: kind must be buyer, seller or agent (got ${kind}).`);
  }
  const account: AccountRecord = {
    id: clock.newId('usr'),
    kind,
    name: names[kind],
    createdAt: clock.timestamp(),
    apiKey: clock.newId('tpk_mock').padEnd(42, '0'),
    readOnly: false,
    keyId: clock.newId('key'),
    ...overrides,
  };
  requireUnique(accounts, account.id);
  accounts.push(account);
  return account;
}

/** Adds a listing of the seller, by default without an agent. */
export function addListing(
  market: Market,
  accounts: MockAccounts,
  overrides: MockListingOverrides = {},
): MockListing {
  const { clock, listings } = market;
  const defaults: MockListing = {
    id: clock.newId('lst'),
    sellerId: accounts.seller.id,
    agentId: null,
    title: null,
    availableQuantity: 100,
    lowThreshold: null,
    createdAt: clock.timestamp(),
  };
  requireKnown('addListing', overrides, defaults);
  const listing = { ...defaults, ...overrides };
  const { lowThreshold, availableQuantity } = listing;
  if (!(Number.isInteger(availableQuantity) && availableQuantity >= 0)) {
    throw new TypeError(
      `addListing: availableQuantity must be an integer of at least 0 (got ${availableQuantity}).`,
    );
  }
  listing.createdAt = normalizeTime(listing.createdAt);
  requireUnique(listings, listing.id);
  requireAccount(market, 'sellerId', listing.sellerId, 'seller');
  requireAccount(market, 'agentId', listing.agentId, 'agent');
  // A listing that starts below its threshold does not cross it, so nothing is reported.
  const lowStockNotified = lowThreshold !== null && availableQuantity < lowThreshold;
  listings.push({ ...listing, lowStockNotified });
  return listing;
}

/**
 * Adds an order of the buyer, as if it had been there before: without events and notifications, and without
 * taking units from its listing. Without `listingId`, it gets a listing of its own.
 */
export function addOrder(
  market: Market,
  accounts: MockAccounts,
  overrides: MockOrderOverrides = {},
): Order {
  const { clock, orders } = market;
  const { createdAt = clock.timestamp() } = overrides;
  const defaults: Order = {
    id: clock.newId('ord'),
    status: 'pending',
    buyerId: accounts.buyer.id,
    sellerId: '',
    agentId: null,
    listingId: '',
    quantity: 5,
    createdAt,
    updatedAt: createdAt,
  };
  requireKnown('addOrder', overrides, defaults);
  const { id: listingId, sellerId, agentId } = findListing(market, accounts, overrides);
  const order = { ...defaults, listingId, sellerId, agentId, ...overrides };
  order.createdAt = normalizeTime(order.createdAt);
  order.updatedAt = normalizeTime(order.updatedAt);
  requireUnique(orders, order.id);
  requireAccount(market, 'buyerId', order.buyerId, 'buyer');
  const isOpen = order.status === 'pending' && order.agentId !== null;
  const record = { ...order, version: 1, openTaskId: isOpen ? clock.newId('tsk') : null };
  orders.push(record);
  return toOrder(record);
}

function findListing(
  market: Market,
  accounts: MockAccounts,
  { listingId, sellerId, agentId }: MockOrderOverrides,
): MockListing {
  if (listingId === undefined) {
    const { id } = addListing(market, accounts, {
      ...(sellerId !== undefined && { sellerId }),
      ...(agentId !== undefined && { agentId }),
    });
    return getListing(market, id);
  }
  const listing = getListing(market, listingId);
  for (const [name, value] of Object.entries({ sellerId, agentId })) {
    const own = listing[name as 'sellerId' | 'agentId'];
    if (value === undefined || value === own) continue;
    throw new TypeError(`${name} is ${value}, but that of listing ${listingId} is ${own}.`);
  }
  return listing;
}

/** Adds a notification of the buyer. Without `orderId`, it gets an order of its own. */
export function addNotification(
  market: Market,
  accounts: MockAccounts,
  { accountId = accounts.buyer.id, ...overrides }: MockNotificationOverrides = {},
): Notification {
  const { clock, notifications } = market;
  const { orderId = addOrder(market, accounts).id } = overrides;
  const notification: Notification = {
    id: clock.newId('ntf'),
    type: 'order_status_changed',
    orderId,
    message: `Order ${orderId} is now confirmed (was pending).`,
    read: false,
    createdAt: clock.timestamp(),
    ...overrides,
  };
  notification.createdAt = normalizeTime(notification.createdAt);
  requireUnique(notifications, notification.id);
  requireAccount(market, 'accountId', accountId);
  const record = { ...notification, accountId };
  notifications.push(record);
  return toNotification(record);
}

/**
 * Returns the current state of a listing.
 *
 * @throws {TypeError} when there is none with this ID.
 */
export function getListing({ listings }: Market, id: string): MockListing {
  const found = listings.find((listing) => listing.id === id);
  if (!found) {
    throw new TypeError(`There is no listing ${JSON.stringify(id)}. Add it with addListing.`);
  }
  const { lowStockNotified: _, ...listing }: ListingRecord = found;
  return listing;
}

function requireUnique(existing: readonly { id: string }[], id: string): void {
  if (existing.some((other) => other.id === id)) {
    throw new TypeError(`There is already one with the ID ${id}.`);
  }
}

function requireAccount(
  { accounts }: Market,
  name: string,
  id: string | null,
  kind?: AccountKind,
): void {
  const account = accounts.find((candidate) => candidate.id === id);
  if (id === null || (account && (kind === undefined || account.kind === kind))) return;
  const what = kind === undefined ? 'an account' : `the account of a ${kind}`;
  throw new TypeError(`${name} must be the ID of ${what} of this mock (got ${id}).`);
}

/** Lists sort by these texts, so they have one form. */
function normalizeTime(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(+time))
    throw new TypeError(`${JSON.stringify(text)} is not a time in ISO 8601.`);
  return time.toISOString();
}
