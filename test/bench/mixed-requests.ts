import type { ApiClient, ApiRequest } from './api-client';
import type { TradingAccounts } from './trading-accounts';

const json = { 'Content-Type': 'application/json' };
/** Statuses that orders are listed by, in turn. */
const statuses = ['pending', 'confirmed', 'completed'];

/** Twenty kinds of requests in turn, nine of them rejected. Paths, IDs, keys and values differ from request to request. */
export class MixedRequests {
  readonly #api: ApiClient;
  readonly #trade: TradingAccounts;
  readonly #kinds: readonly ((number: number) => Promise<unknown>)[];
  /** Orders that are still pending. */
  readonly #pending: string[] = [];
  #latest: string;
  #created = 0;

  /** @param trade It needs an order. */
  constructor(api: ApiClient, trade: TradingAccounts) {
    this.#api = api;
    this.#trade = trade;
    this.#latest = trade.orders[0] ?? '';
    const create = (key?: string) => this.#create(key);
    const read = () => api.getOrder(this.#latest);
    this.#kinds = [
      () => create(),
      () => api.listOrders('?limit=20', 'buyer'),
      read,
      () => this.#confirm(),
      (number) => api.listOrders(`?status=${statuses[number % statuses.length]}`),
      (number) => this.#reject('GET', `/v1/unknown/${number}`, 404),
      (number) => create(`key-${number}`),
      (number) => api.listOrders(`?createdAfter=${new Date(number * 1000).toISOString()}`, 'agent'),
      read,
      () => this.#confirm(),
      (number) => this.#reject('GET', `/v1/orders/ord_01${String(number).padStart(24, '0')}`, 404),
      (number) => this.#rejectKey(`tpk_${String(number).padStart(40, '0')}`),
      (number) => this.#reject('GET', `/v1/orders?cursor=${number}`, 400),
      (number) => this.#reject('POST', '/v1/orders', 400, `{"quantity": ${number}`),
      () => api.listOrders(),
      (number) => this.#reject('POST', '/v1/orders', 422, `{"quantity": -${number}}`),
      (number) => this.#reject('DELETE', `/v1/orders?number=${number}`, 405),
      (number) => this.#rejectOrderOfSeller(number),
      read,
      (number) => this.#rejectStaleChange(number),
    ];
  }

  /** The number of orders that were created. */
  get created(): number {
    return this.#created;
  }

  /** Sends one request. Rejects if its response is not the expected one. */
  async send(number: number): Promise<void> {
    await this.#kinds[number % this.#kinds.length]?.(number);
  }

  async #create(idempotencyKey?: string): Promise<void> {
    this.#latest = await this.#api.createOrder(idempotencyKey);
    this.#created += 1;
    this.#pending.push(this.#latest);
  }

  async #confirm(): Promise<void> {
    const id = this.#pending.pop();
    if (id === undefined) await this.#create();
    else await this.#api.confirmOrder(id);
  }

  #sendAs(
    caller: 'buyer' | 'seller',
    request: Omit<ApiRequest, 'headers'>,
    expected: number,
    headers: Record<string, string> = {},
  ): Promise<string> {
    const authorization = `Bearer ${this.#trade[caller].apiKey}`;
    const all = { Authorization: authorization, ...(request.body && json), ...headers };
    return this.#api.send({ ...request, headers: all }, expected);
  }

  #reject(method: ApiRequest['method'], path: string, status: number, body: string | null = null) {
    return this.#sendAs('buyer', { method, path, body }, status);
  }

  #rejectKey(apiKey: string): Promise<string> {
    const headers = { Authorization: `Bearer ${apiKey}` };
    return this.#api.send({ method: 'GET', path: '/v1/orders', headers }, 401);
  }

  #rejectOrderOfSeller(quantity: number): Promise<string> {
    const body = JSON.stringify({ listingId: this.#trade.listingId, quantity });
    return this.#sendAs('seller', { method: 'POST', path: '/v1/orders', body }, 403);
  }

  #rejectStaleChange(number: number): Promise<string> {
    const body = JSON.stringify({ status: 'fulfilling' });
    const path = `/v1/orders/${this.#latest}`;
    const headers = { 'If-Match': `"${number + 1_000}"` };
    return this.#sendAs('seller', { method: 'PATCH', path, body }, 412, headers);
  }
}
