import { Pool } from 'undici';
import type { TradingAccounts } from './trading-accounts';

/** The account of a request. */
export type Caller = 'buyer' | 'seller' | 'agent';

/** A request as it is sent. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  /** Defaults to none. */
  headers?: Record<string, string>;
  /** Defaults to none. */
  body?: string | null;
}

/** A client of the API with its own keep-alive connections. */
export class ApiClient {
  readonly #pool: Pool;
  readonly #trade: TradingAccounts;

  /** @param connections The maximum number of connections. */
  constructor(url: string, trade: TradingAccounts, connections: number) {
    this.#pool = new Pool(url, { connections });
    this.#trade = trade;
  }

  /** Creates an order of one unit, with an idempotency key if passed. Returns its ID. */
  async createOrder(idempotencyKey?: string): Promise<string> {
    const order = { listingId: this.#trade.listingId, quantity: 1 };
    const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    const text = await this.#request('buyer', 'POST', '/v1/orders', 201, order, headers);
    return (JSON.parse(text) as { data: { id: string } }).data.id;
  }

  /** Reads an order. */
  async getOrder(id: string): Promise<void> {
    await this.#request('buyer', 'GET', `/v1/orders/${id}`, 200);
  }

  /** Reads the first page of the seller's orders, or of another list by its query and caller. Returns the page as JSON text. */
  listOrders(query = '', caller: Caller = 'seller'): Promise<string> {
    return this.#request(caller, 'GET', `/v1/orders${query}`, 200);
  }

  /** Confirms an order. */
  async confirmOrder(id: string): Promise<void> {
    await this.#request('seller', 'PATCH', `/v1/orders/${id}`, 200, { status: 'confirmed' });
  }

  /** Closes its connections. */
  close(): Promise<void> {
    return this.#pool.destroy();
  }

  /** Sends any request. Returns the text of the response. Throws if its status is not `expected`. */
  async send(
    { method, path, headers = {}, body = null }: ApiRequest,
    expected: number,
  ): Promise<string> {
    const response = await this.#pool.request({ method, path, headers, body });
    const text = await response.body.text();
    if (response.statusCode === expected) return text;
    throw new Error(`${method} ${path} got ${response.statusCode}: ${text}`);
  }

  #request(
    caller: Caller,
    method: ApiRequest['method'],
    path: string,
    expected: number,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<string> {
    const request: ApiRequest = {
      method,
      path,
      headers: {
        Authorization: `Bearer ${this.#trade[caller].apiKey}`,
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body ? JSON.stringify(body) : null,
    };
    return this.send(request, expected);
  }
}
