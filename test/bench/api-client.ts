import { Pool } from 'undici';
import type { Trade } from './trade';

/** Who asks. */
type Caller = 'buyer' | 'seller';

/** The API as a client with its own keep-alive connections sees it. */
export class ApiClient {
  readonly #pool: Pool;
  readonly #trade: Trade;

  /** @param connections How many it keeps at most. */
  constructor(url: string, trade: Trade, connections: number) {
    this.#pool = new Pool(url, { connections });
    this.#trade = trade;
  }

  /** Places an order of one unit, with an idempotency key if there is one. Returns its id. */
  async createOrder(idempotencyKey?: string): Promise<string> {
    const order = { listingId: this.#trade.listingId, quantity: 1 };
    const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    const text = await this.#ask('buyer', 'POST', '/v1/orders', 201, order, headers);
    return (JSON.parse(text) as { data: { id: string } }).data.id;
  }

  /** Reads an order. */
  async getOrder(id: string): Promise<void> {
    await this.#ask('buyer', 'GET', `/v1/orders/${id}`, 200);
  }

  /** Reads the first page of the seller's orders. */
  async listOrders(): Promise<void> {
    await this.#ask('seller', 'GET', '/v1/orders', 200);
  }

  /** Confirms an order; one that is confirmed already stays so. */
  async confirmOrder(id: string): Promise<void> {
    await this.#ask('seller', 'PATCH', `/v1/orders/${id}`, 200, { status: 'confirmed' });
  }

  /** Ends its connections. */
  close(): Promise<void> {
    return this.#pool.destroy();
  }

  async #ask(
    caller: Caller,
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    expected: number,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<string> {
    const answer = await this.#pool.request({
      method,
      path,
      headers: {
        Authorization: `Bearer ${this.#trade[caller].apiKey}`,
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body ? JSON.stringify(body) : null,
    });
    const text = await answer.body.text();
    if (answer.statusCode === expected) return text;
    throw new Error(`${method} ${path} was answered ${answer.statusCode}: ${text}`);
  }
}
