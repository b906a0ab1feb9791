import type { SeededRandom } from '../../../helpers/seeded-random';
import { ApiClient, type ClientDependencies } from './api-client';
import { isReachable } from './audit-orders';
import type { PlacedOrder } from './operation-log';
import type { Market, SeedListing, Trader } from './seed-data';

/** Dependencies of a buyer. */
export interface BuyerDependencies extends ClientDependencies {
  market: Market;
  random: SeededRandom;
  /** The orders of the market, which its seller and agent update. */
  orders: PlacedOrder[];
  /** Distinguishes the idempotency keys of several clients of one account. By default there is one client. */
  keyPrefix?: string;
}

/** A client that creates orders, repeats its own earlier requests and reads its orders. */
export class Buyer {
  readonly #dependencies: BuyerDependencies;
  readonly #client: ApiClient;
  readonly #id: string;
  readonly #own: PlacedOrder[] = [];
  #keys = 0;

  constructor(trader: Trader, dependencies: BuyerDependencies) {
    this.#dependencies = dependencies;
    this.#id = trader.id;
    this.#client = new ApiClient(trader.apiKey, dependencies);
  }

  /** Does one action and waits for its response. */
  async act(): Promise<void> {
    const { random } = this.#dependencies;
    const hasOrders = this.#own.length > 0;
    const draw = random.next();
    if (hasOrders && draw < 0.15) await this.#repeat(random.pick(this.#own));
    else if (hasOrders && draw < 0.3) await this.#read(random.pick(this.#own));
    else {
      const { scarce, plentiful } = this.#dependencies.market;
      await this.#place(random.chance(0.3) ? random.pick(scarce) : plentiful);
    }
  }

  /** Places an order that cannot be rejected, and returns it. */
  async placePlentiful(): Promise<PlacedOrder> {
    const placed = await this.#place(this.#dependencies.market.plentiful);
    if (placed === null) throw new Error('An order of a plentiful listing was rejected.');
    return placed;
  }

  async #place(listing: SeedListing): Promise<PlacedOrder | null> {
    const { random, orders, log, keyPrefix = '' } = this.#dependencies;
    const { id: listingId, sellerId, agentId } = listing;
    const quantity = 1 + random.below(20);
    this.#keys += 1;
    const key = `${keyPrefix}${this.#id}-${this.#keys}`;
    const sentAt = performance.now();
    const response = await this.#create(key, listingId, quantity);
    if ('code' in response) {
      log.rejected += 1;
      if (response.code !== 'insufficient_quantity') {
        log.violations.push(`Order ${key} was rejected as ${response.code}.`);
      }
      return null;
    }
    const history = { requested: new Map<never, never>(), accepted: [] };
    const parties = { buyerId: this.#id, sellerId, agentId };
    const placed = {
      id: response.value.id,
      key,
      ...parties,
      listingId,
      quantity,
      sentAt,
      ...history,
    };
    this.#own.push(placed);
    orders.push(placed);
    log.placed.push(placed);
    return placed;
  }

  /** Repeats an earlier request. The response must contain the order that it created then. */
  async #repeat({ id, key, listingId, quantity }: PlacedOrder): Promise<void> {
    const { log } = this.#dependencies;
    const response = await this.#create(key, listingId, quantity);
    log.repeated += 1;
    const got = 'code' in response ? response.code : response.value.id;
    if (got !== id)
      log.violations.push(`Key ${key} created order ${id}, but its repetition returned ${got}.`);
  }

  /** Reads an order. No change that was acknowledged before may be missing. */
  async #read({ id, accepted }: PlacedOrder): Promise<void> {
    const { log } = this.#dependencies;
    const before = [...accepted];
    const response = await this.#client.request((tradepost) => tradepost.orders.get(id));
    if ('code' in response) return;
    const { status } = response.value;
    const lost = before.find((earlier) => !isReachable(earlier, status));
    if (lost)
      log.violations.push(`Order ${id} was acknowledged as ${lost} and later read as ${status}.`);
  }

  #create(idempotencyKey: string, listingId: string, quantity: number) {
    return this.#client.request((tradepost) =>
      tradepost.orders.create({ listingId, quantity }, { idempotencyKey }),
    );
  }
}
