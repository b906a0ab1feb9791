import type { Account } from '@tradepost/domain/accounts/account';
import { createKeyRecord } from '@tradepost/domain/accounts/key';
import { defaultLimits } from '@tradepost/domain/accounts/limits';
import { defaultAccountRetention } from '@tradepost/domain/accounts/retention';
import { formatTimestamp } from '@tradepost/domain/kernel/context';
import { createListing, type Listing as ListingRecord } from '@tradepost/domain/listings/listing';
import type { MemoryData } from '@tradepost/domain/memory/memory-data';
import { toNotificationResponse } from '@tradepost/domain/notifications/notification';
import { toOrderResponse } from '@tradepost/domain/orders/order';
import { createTask } from '@tradepost/domain/tasks/task';
import type {
  AccountKind,
  Notification,
  NotificationType,
  Order,
  OrderStatus,
} from '@tradepost/sdk';
import { listOverrides, type Overrides } from '../overrides';
import type { MockClock } from './clock';
import { requireKnown } from './require-known';

/** An account of a mock, with its API key. */
export interface MockAccount {
  /** `usr_<id>`. */
  id: string;
  /** The kind of the account, which limits what it may do. */
  kind: AccountKind;
  /** Display name. */
  name: string;
  /** When the account was created: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** The API key of the account. */
  apiKey: string;
  /** Whether the API key allows read access only. */
  readOnly: boolean;
}

/** A listing of a mock. The API has no endpoint for listings. */
export interface MockListing {
  /** `lst_<id>`. */
  id: string;
  /** The seller account, `usr_<id>`. */
  sellerId: string;
  /** The agent account, `usr_<id>`. Null when no agent is assigned. */
  agentId: string | null;
  /** What it offers. Null if it has no title. */
  title: string | null;
  /** Units left to order. */
  availableQuantity: number;
  /** `listing.availability_low` is sent when fewer units than this are left. Null: never. */
  lowThreshold: number | null;
  /** When the listing was created: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
}

/** The accounts that every mock has. */
export type MockAccounts = Readonly<Record<AccountKind, MockAccount>>;

/** The fields of an account; those that are left out get defaults. */
export type MockAccountOverrides = Overrides<
  Pick<MockAccount, 'id' | 'kind' | 'name' | 'readOnly'>
>;

/** The fields of a listing; those that are left out get defaults. */
export type MockListingOverrides = Overrides<MockListing>;

/** The fields of an order; those that are left out get defaults. */
export type MockOrderOverrides = Overrides<Omit<Order, 'status'> & { status: OrderStatus }>;

/** The fields of a notification, and the account that gets it; those that are left out get defaults. */
export type MockNotificationOverrides = Overrides<Notification & { accountId: string }>;

const names: Record<AccountKind, string> = {
  buyer: 'Harbour Street Café',
  seller: 'Highland Growers',
  agent: 'Quayside Brokers',
};

/** Puts into the store of a mock what a test starts with. */
export class Seed {
  readonly #data: MemoryData;
  readonly #clock: MockClock;
  /** The accounts that every mock has. */
  readonly accounts: MockAccounts;

  constructor(data: MemoryData, clock: MockClock) {
    this.#data = data;
    this.#clock = clock;
    this.accounts = {
      buyer: this.addAccount({ kind: 'buyer' }),
      seller: this.addAccount({ kind: 'seller' }),
      agent: this.addAccount({ kind: 'agent' }),
    };
  }

  /** Adds an account, by default another buyer. */
  addAccount(overrides: MockAccountOverrides = {}): MockAccount {
    const { accounts, keys } = this.#data;
    const { now, newId } = this.#at();
    const { kind = 'buyer' } = overrides;
    requireKnown('addAccount', overrides, { id: true, kind: true, name: true, readOnly: true });
    if (!Object.hasOwn(names, kind)) {
      throw new TypeError(`addAccount: kind must be buyer, seller or agent (got ${kind}).`);
    }
    const { id = newId('usr'), name = names[kind], readOnly = false } = overrides;
    requireUnused(accounts, id);
    const apiKey = this.#clock.newId('tpk_mock').padEnd(42, '0');
    const state = {
      suspendedAt: null,
      suspensionReason: null,
      erasedAt: null,
      ...defaultLimits,
      ...defaultAccountRetention,
    };
    const account: Account = { id, kind, name, createdAt: now, ...state };
    accounts.set(id, account);
    const settings = { accountId: id, readOnly, expiresAt: null };
    // It protects nothing, so it is known by itself.
    const key = createKeyRecord(settings, apiKey, { hash: (text) => text }, this.#at());
    keys.set(key.id, key);
    return { id, kind, name, createdAt: formatTimestamp(now), apiKey, readOnly };
  }

  /** Adds a listing of the seller, by default without an agent. */
  addListing(overrides: MockListingOverrides = {}): MockListing {
    const { listings } = this.#data;
    const context = this.#at();
    const defaults: MockListing = {
      id: context.newId('lst'),
      sellerId: this.accounts.seller.id,
      agentId: null,
      title: null,
      availableQuantity: 100,
      lowThreshold: null,
      createdAt: formatTimestamp(context.now),
    };
    requireKnown('addListing', overrides, defaults);
    const listing: MockListing = { ...defaults, ...listOverrides(overrides) };
    const { availableQuantity } = listing;
    if (!(Number.isInteger(availableQuantity) && availableQuantity >= 0)) {
      throw new TypeError(
        `addListing: availableQuantity must be an integer of at least 0 (got ${availableQuantity}).`,
      );
    }
    const createdAt = parseTime(listing.createdAt);
    requireUnused(listings, listing.id);
    this.#requireAccount('sellerId', listing.sellerId, 'seller');
    this.#requireAccount('agentId', listing.agentId, 'agent');
    const { lowStockNotified } = createListing(listing, { ...context, newId: () => listing.id });
    listings.set(listing.id, { ...listing, createdAt, lowStockNotified });
    return this.getListing(listing.id);
  }

  /**
   * Adds an order of the buyer, as if it had been there before: without events and notifications, and without taking units
   * from its listing. Without `listingId`, it gets a listing of its own.
   */
  addOrder(overrides: MockOrderOverrides = {}): Order {
    const { orders, tasks } = this.#data;
    const context = this.#at();
    const { createdAt = formatTimestamp(context.now) } = overrides;
    const defaults: Order & { status: OrderStatus } = {
      id: context.newId('ord'),
      status: 'pending',
      buyerId: this.accounts.buyer.id,
      sellerId: '',
      agentId: null,
      listingId: '',
      quantity: 5,
      createdAt,
      updatedAt: createdAt,
    };
    requireKnown('addOrder', overrides, defaults);
    const { id: listingId, sellerId, agentId } = this.#findListing(overrides);
    const order = { ...defaults, listingId, sellerId, agentId, ...listOverrides(overrides) };
    const times = { createdAt: parseTime(order.createdAt), updatedAt: parseTime(order.updatedAt) };
    requireUnused(orders, order.id);
    this.#requireAccount('buyerId', order.buyerId, 'buyer');
    const record = { ...order, ...times, version: 1 };
    orders.set(order.id, record);
    if (order.status === 'pending' && order.agentId !== null) {
      tasks.set(order.id, createTask(order.id, order.agentId, context));
    }
    return toOrderResponse(record);
  }

  /** Adds a notification of the buyer. Without `orderId`, it gets an order of its own. */
  addNotification({
    accountId = this.accounts.buyer.id,
    ...overrides
  }: MockNotificationOverrides = {}): Notification {
    const { notifications } = this.#data;
    const { now, newId } = this.#at();
    const { orderId = this.addOrder().id } = overrides;
    const notification: Notification = {
      id: newId('ntf'),
      type: 'order_status_changed',
      orderId,
      message: `Order ${orderId} is now confirmed (was pending).`,
      read: false,
      createdAt: formatTimestamp(now),
      ...listOverrides(overrides),
    };
    const createdAt = parseTime(notification.createdAt);
    requireUnused(notifications, notification.id);
    this.#requireAccount('accountId', accountId);
    const type = notification.type as NotificationType;
    const record = { ...notification, type, createdAt, accountId, eventId: newId('evt') };
    notifications.set(record.id, record);
    return toNotificationResponse(record);
  }

  /**
   * Returns the current state of a listing.
   *
   * @throws {TypeError} when there is none with this ID.
   */
  getListing(id: string): MockListing {
    const found = this.#data.listings.get(id);
    if (!found) {
      throw new TypeError(`There is no listing ${JSON.stringify(id)}. Add it with addListing.`);
    }
    const { lowStockNotified: _, createdAt, ...listing }: ListingRecord = found;
    return { ...listing, createdAt: formatTimestamp(createdAt) };
  }

  /** The time, and IDs that sort by it. */
  #at() {
    const now = this.#clock.now();
    return { now, newId: (prefix: string) => this.#clock.newId(prefix, now) };
  }

  #findListing({ listingId, sellerId, agentId }: MockOrderOverrides): MockListing {
    if (listingId === undefined) {
      return this.addListing({ sellerId, agentId });
    }
    const listing = this.getListing(listingId);
    for (const [name, value] of Object.entries({ sellerId, agentId })) {
      const own = listing[name as 'sellerId' | 'agentId'];
      if (value === undefined || value === own) continue;
      throw new TypeError(`${name} is ${value}, but that of listing ${listingId} is ${own}.`);
    }
    return listing;
  }

  #requireAccount(name: string, id: string | null, kind?: AccountKind): void {
    const account = this.#data.accounts.get(id ?? '');
    if (id === null || (account && (kind ?? account.kind) === account.kind)) return;
    const what = kind === undefined ? 'an account' : `the account of a ${kind}`;
    throw new TypeError(`${name} must be the ID of ${what} of this mock (got ${id}).`);
  }
}

function requireUnused(existing: ReadonlyMap<string, unknown>, id: string): void {
  if (existing.has(id)) throw new TypeError(`There is already one with the ID ${id}.`);
}

function parseTime(text: string): number {
  const time = +new Date(text);
  if (time >= 0) return time;
  throw new TypeError(`${JSON.stringify(text)} is not a time in ISO 8601, from 1970 on.`);
}
