import type { ApiPromise } from './http/api-promise';
import { requestPath } from './http/request-path';
import { resolveOptions } from './http/resolved-options';
import type { Learned } from './http/retry-loop';
import { systemRuntime } from './http/runtime';
import { Transport } from './http/transport';
import type { PathRequestOptions, TradepostOptions } from './options';
import { Accounts } from './resources/accounts';
import { Deliveries } from './resources/deliveries';
import { Events } from './resources/events';
import { Keys } from './resources/keys';
import { Notifications } from './resources/notifications';
import { Orders } from './resources/orders';
import { Partners } from './resources/partners';
import { SignIn } from './resources/sign-in';
import { Summaries } from './resources/summaries';
import { Webhooks } from './resources/webhooks';

/** What clients with the same service have learned, by their options. */
const shared = new WeakMap<object, Learned>();

/**
 * The client of the service. Create one client per program: it keeps no connections, and concurrent calls are
 * safe.
 *
 * @example
 * const tradepost = new Tradepost({ baseUrl: 'https://trade.example', apiKey });
 * const order = await tradepost.orders.get('ord_…');
 */
export class Tradepost {
  /** Lists, creates, gets and updates orders. */
  readonly orders: Orders;
  /** Lists notifications and marks them read. */
  readonly notifications: Notifications;
  /** Registers webhooks. Extension: manages them. */
  readonly webhooks: Webhooks;
  /** Extension: lists the deliveries to webhooks, and replays them. */
  readonly deliveries: Deliveries;
  /** Extension: lists events, and follows them as they happen. */
  readonly events: Events;
  /** Extension: lists the accounts with which the account has traded. */
  readonly partners: Partners;
  /** Extension: gets the account that the API key belongs to. */
  readonly account: Accounts;
  /** Extension: gets the state of the account at a glance. */
  readonly summary: Summaries;
  /** Extension: lists, creates and revokes the API keys of the account. */
  readonly keys: Keys;
  /** Extension: creates codes with which people sign in. */
  readonly signIn: SignIn;
  readonly #options: TradepostOptions;
  readonly #learned: Learned;
  readonly #transport: Transport;

  /** @throws {TradepostError} `invalid_configuration` when an option is not valid. */
  constructor(options: TradepostOptions) {
    const resolved = resolveOptions(options);
    this.#options = { ...options };
    this.#learned = shared.get(options) ?? { service: { honoursKeys: false }, key: {} };
    const transport = new Transport(resolved, systemRuntime, this.#learned);
    this.#transport = transport;
    this.orders = new Orders(transport);
    this.notifications = new Notifications(transport);
    this.webhooks = new Webhooks(transport);
    this.deliveries = new Deliveries(transport);
    this.events = new Events(transport);
    this.partners = new Partners(transport);
    this.account = new Accounts(transport);
    this.summary = new Summaries(transport);
    this.keys = new Keys(transport);
    this.signIn = new SignIn(transport);
  }

  /**
   * Creates a client with other options, for example for the calls of another account. Options that are left
   * out are those of this client.
   *
   * @throws {TradepostError} `invalid_configuration` when an option is not valid.
   * @example
   * const patient = tradepost.withOptions({ timeout: 60_000 });
   */
  withOptions(options: Partial<TradepostOptions>): Tradepost {
    const merged = { ...this.#options, ...options };
    const { baseUrl, apiKey } = this.#options;
    const { service, key } = this.#learned;
    // Another service may treat idempotency keys differently, and each API key has its own rate limit.
    if (merged.baseUrl === baseUrl) {
      shared.set(merged, { service, key: merged.apiKey === apiKey ? key : {} });
    }
    // Not by its name: the build would rename a class that names itself.
    return new (this.constructor as typeof Tradepost)(merged);
  }

  /**
   * Sends a request to any path of the service, for what this version of the package has no method for.
   * Options, retries, errors and hooks are those of other calls. A POST is repeated as other POSTs are; a
   * GET always; any other method only if it certainly had no effect.
   *
   * Resolves to the whole body: the parsed JSON, without removing an envelope; the text, if it is not JSON;
   * undefined, if it is empty. It is not validated.
   *
   * @param method the HTTP method, in upper case
   * @param path a path below `baseUrl` that starts with `/`, with encoded IDs; it may have a query
   * @throws {TradepostError} as other calls do
   * @example
   * const { data } = await tradepost.request<{ data: Order[] }>('GET', '/v1/orders', {
   *   query: { status: 'archived' },
   * });
   */
  request<Body = unknown>(
    method: string,
    path: string,
    options?: PathRequestOptions,
  ): ApiPromise<Body> {
    return requestPath(this.#transport, method, path, options);
  }
}
