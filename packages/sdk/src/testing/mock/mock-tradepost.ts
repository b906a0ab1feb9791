import { LongPollRegistry } from '@tradepost/domain/events/announcements';
import { createMemoryStore } from '@tradepost/domain/memory/memory-store';
import { Service } from '@tradepost/domain/service';
import { strictWebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import type { TradepostOptions } from '@tradepost/sdk';
import {
  type AccountKind,
  type Delivery,
  type Notification,
  type Order,
  Tradepost,
} from '@tradepost/sdk';
import type { OptionNames } from '../../option-names';
import { exampleSecret } from '../sign-delivery';
import { MockClock, type MockTime } from './clock';
import { deliver, type MockDeliverOptions, type MockReceiver } from './deliver';
import { Failures, type MockFailOptions, type MockFailure } from './failures';
import type { MockOperation } from './operations';
import { type MockRateLimit, RateLimit } from './rate-limit';
import type { MockRequest } from './request';
import { requireKnown } from './require-known';
import {
  type MockAccount,
  type MockAccountOverrides,
  type MockAccounts,
  type MockListing,
  type MockListingOverrides,
  type MockNotificationOverrides,
  type MockOrderOverrides,
  Seed,
} from './seed';
import { createFetch } from './service';

/** Options of `mockTradepost`. */
export interface MockTradepostOptions {
  /**
   * False for a service with only the seven endpoints of the API specification: without problem documents, cursors,
   * ETags and idempotency keys, and without a body in the responses to `orders.update`, `notifications.markRead` and
   * `webhooks.create`. @default true
   */
  extensions?: boolean | undefined;
  /**
   * The time of the mock, which only `advance` changes; or a function that returns it, such as `Date.now`.
   * @default '2026-11-21T09:30:00.000Z'
   */
  now?: MockTime | undefined;
  /**
   * A limit of requests for each API key. What is beyond it gets a 429, with the headers of the reference server. The clients
   * wait as for the service, but not really: with a limit, their waits advance the time of the mock. Requests that `fail` ends
   * are not counted. @default no limit
   * @example
   * mockTradepost({ rateLimit: { limit: 60 } });
   */
  rateLimit?: MockRateLimit | undefined;
  /** Where the mock pretends to be. @default 'https://mock.tradepost.example' */
  baseUrl?: string | undefined;
}

/** What a client of a mock needs: `new Tradepost({ ...mock.clientOptions('seller'), userAgent: 'shop' })`. */
export interface MockClientOptions {
  /** Where the mock pretends to be. */
  baseUrl: string;
  /** The API key of the account. */
  apiKey: string;
  /** The in-memory service. */
  fetch: NonNullable<TradepostOptions['fetch']>;
  /** Retries at once. With the option `rateLimit`, advances the time of the mock. */
  wait: NonNullable<TradepostOptions['wait']>;
}

/** A service in memory, with clients of its accounts. Its functions may be destructured. */
export interface MockTradepost {
  /** The client of the buyer: the same as `as('buyer')`. */
  readonly client: Tradepost;
  /** The accounts that every mock has, one of each kind. */
  readonly accounts: MockAccounts;
  /** The requests so far, oldest first, also those that `fail` kept from arriving. Each attempt of a call is one. */
  readonly requests: readonly MockRequest[];
  /**
   * Returns the client of an account. With options, creates another one: `as('seller', { maxRetries: 0 })`.
   *
   * @param account one of the three default accounts by its kind, or an account of `addAccount`
   */
  as(account: AccountKind | MockAccount, options?: Partial<TradepostOptions>): Tradepost;
  /** Returns the options of a client, for a program that creates its own. */
  clientOptions(account: AccountKind | MockAccount): MockClientOptions;
  /** Adds an account, by default another buyer. `readOnly` is about its API key. */
  addAccount(overrides?: MockAccountOverrides): MockAccount;
  /** Adds a listing of the seller with 100 units, by default without an agent and a threshold. */
  addListing(overrides?: MockListingOverrides): MockListing;
  /**
   * Adds a pending order of the buyer for 5 units, as if it had been there before: without events and notifications, and
   * without taking units from its listing. Without `listingId`, it gets a listing of its own.
   */
  addOrder(overrides?: MockOrderOverrides): Order;
  /** Adds an unread notification of the buyer, or of `accountId`. Without `orderId`, it gets an order of its own. */
  addNotification(overrides?: MockNotificationOverrides): Notification;
  /** Returns a listing with the units that are left. @throws {TypeError} when there is none with this ID. */
  getListing(id: string): MockListing;
  /**
   * Makes the next requests of an operation fail. The client retries some failures, so a call may succeed all the same:
   * to fail a call with all its retries, pass `times: Infinity`, or use a client with `maxRetries: 0`.
   *
   * @param operation the name of a call, such as `orders.create`; `*` for every call
   * @returns a function that cancels it
   * @throws {TypeError} when an argument is not valid.
   * @example
   * mock.fail('orders.create', { code: 'rate_limited', retryAfter: 2 });
   * mock.fail('orders.update', 'lost_response', { times: Infinity });
   */
  fail(operation: MockOperation | '*', failure: MockFailure, options?: MockFailOptions): () => void;
  /** Advances the time of the mock, in milliseconds. */
  advance(milliseconds: number): void;
  /**
   * Sends each delivery that is due to a receiver, such as `receiver.fetch`, signed with the secret of its webhook.
   * What the receiver does not acknowledge with a 2xx stays pending and is due again at once. A test event is sent once.
   * Deliveries arrive in any order and more than once: test that with `{ shuffle: true, copies: 2 }`.
   * A mock without extensions sends no secret in a response: its webhooks have the secret `exampleSecret`.
   *
   * @returns the deliveries that were sent, with their results
   * @throws what the receiver throws; {TypeError} when it is not a function, or returns no `Response`
   */
  deliver(receive: MockReceiver, options?: MockDeliverOptions): Promise<Delivery[]>;
}

const knownOptions: OptionNames<MockTradepostOptions> = {
  extensions: true,
  now: true,
  rateLimit: true,
  baseUrl: true,
};

/**
 * Creates a service in memory that behaves like the reference server, and clients of its accounts: real ones, with the
 * types, errors, retries and hooks of `Tradepost`. It opens no sockets, and its retries do not wait. IDs and times are the
 * same in each run. Create one for each test.
 *
 * @throws {TypeError} when an option is not valid.
 * @example
 * const { client, as, addListing, fail } = mockTradepost();
 * const listing = addListing({ availableQuantity: 10 });
 * const order = await client.orders.create({ listingId: listing.id, quantity: 4 });
 * await as('seller').orders.update(order.id, { status: 'confirmed' });
 */
export function mockTradepost(options: MockTradepostOptions = {}): MockTradepost {
  const { extensions = true, now, baseUrl = 'https://mock.tradepost.example' } = options;
  requireKnown('mockTradepost', options, knownOptions);
  const clock = new MockClock(now);
  const store = createMemoryStore();
  const seed = new Seed(store.data, clock);
  const { accounts } = seed;
  const failures = new Failures();
  const requests: MockRequest[] = [];
  const service = createService(store, clock, extensions);
  const rateLimit = options.rateLimit && new RateLimit(options.rateLimit, clock);
  const fetch = createFetch({
    service,
    clock,
    failures,
    requests,
    extensions,
    rateLimit,
    baseUrl,
  });
  const wait = async (milliseconds: number) => {
    if (rateLimit) clock.advance(milliseconds);
  };

  const clientOptions = (account: AccountKind | MockAccount): MockClientOptions => {
    const found = typeof account === 'string' ? accounts[account] : account;
    if (!found?.apiKey) {
      throw new TypeError(
        `There is no account ${JSON.stringify(account)}. Pass buyer, seller, agent, or an account of addAccount.`,
      );
    }
    return { baseUrl, apiKey: found.apiKey, fetch, wait };
  };
  const clients = new Map<string, Tradepost>();
  const as: MockTradepost['as'] = (account, options) => {
    const own = clientOptions(account);
    if (options) return new Tradepost({ ...own, ...options });
    const client = clients.get(own.apiKey) ?? new Tradepost(own);
    clients.set(own.apiKey, client);
    return client;
  };

  return {
    client: as('buyer'),
    accounts,
    requests,
    as,
    clientOptions,
    addAccount: (overrides) => seed.addAccount(overrides),
    addListing: (overrides) => seed.addListing(overrides),
    addOrder: (overrides) => seed.addOrder(overrides),
    addNotification: (overrides) => seed.addNotification(overrides),
    getListing: (id) => seed.getListing(id),
    fail: (operation, failure, options) => failures.add(operation, failure, options),
    advance: (milliseconds) => clock.advance(milliseconds),
    deliver: (receive, options) => deliver(store, clock.now(), receive, extensions, options),
  };
}

/** Creates the service. Secrets of its webhooks protect nothing; without extensions, all are `exampleSecret`. */
function createService(
  store: ReturnType<typeof createMemoryStore>,
  clock: MockClock,
  extensions: boolean,
): Service {
  const longPolls = new LongPollRegistry(clock);
  store.onEvents((accountIds) => longPolls.notify(accountIds));
  return new Service({
    store,
    clock,
    newId: clock.newId,
    longPolls,
    webhookPolicy: strictWebhookPolicy,
    // 32 bytes.
    createSecret: () =>
      extensions ? `whsec_${btoa(clock.newId('mock').padEnd(32, '.'))}` : exampleSecret,
    tokens: {
      create: (prefix) => clock.newId(`${prefix}_mock`).padEnd(42, '0'),
      hash: (text) => text,
    },
  });
}
