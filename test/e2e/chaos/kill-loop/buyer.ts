import type { Tradepost } from '@tradepost/sdk';
import type { SeededRandom } from '../../../helpers/seeded-random';
import { mayFollow } from './allowed-transitions';
import type { PlacedOrder } from './operation-log';
import type { Market, Trader } from './seed-data';
import { type ClientParts, clientOf, untilAnswered } from './until-answered';

/** What a buyer works with. */
export interface BuyerParts extends ClientParts {
  market: Market;
  random: SeededRandom;
  /** The market's orders, for its seller and agent to work on. */
  orders: PlacedOrder[];
}

/** A client that places orders, repeats old requests of its own, and looks whether its orders are there. */
export class Buyer {
  readonly #parts: BuyerParts;
  readonly #client: Tradepost;
  readonly #id: string;
  readonly #own: PlacedOrder[] = [];
  #keys = 0;

  constructor(trader: Trader, parts: BuyerParts) {
    this.#parts = parts;
    this.#id = trader.id;
    this.#client = clientOf(parts.server, trader.apiKey);
  }

  /** Does one thing and sees it through. */
  async act(): Promise<void> {
    const { random } = this.#parts;
    const known = this.#own.length > 0;
    const wish = random.next();
    if (known && wish < 0.15) await this.#repeat(random.pick(this.#own));
    else if (known && wish < 0.3) await this.#look(random.pick(this.#own));
    else await this.#place();
  }

  async #place(): Promise<void> {
    const { market, random, orders, diary } = this.#parts;
    const { scarce, plentiful } = market;
    const listing = random.chance(0.3) ? random.pick(scarce) : plentiful;
    const { id: listingId, sellerId, agentId } = listing;
    const quantity = 1 + random.below(20);
    this.#keys += 1;
    const key = `${this.#id}-${this.#keys}`;
    const sentAt = performance.now();
    const answer = await this.#create(key, listingId, quantity);
    if ('code' in answer) {
      diary.refused += 1;
      if (answer.code !== 'insufficient_quantity') {
        diary.faults.push(`Order ${key} was refused as ${answer.code}.`);
      }
      return;
    }
    const states = { asked: new Map<never, never>(), answered: [] };
    const parties = { buyerId: this.#id, sellerId, agentId };
    const placed = { id: answer.value.id, key, ...parties, listingId, quantity, sentAt, ...states };
    this.#own.push(placed);
    orders.push(placed);
    diary.placed.push(placed);
  }

  /** Sends a request of the past again: it must be answered with the order that it made then. */
  async #repeat({ id, key, listingId, quantity }: PlacedOrder): Promise<void> {
    const { diary } = this.#parts;
    const answer = await this.#create(key, listingId, quantity);
    diary.repeated += 1;
    const got = 'code' in answer ? answer.code : answer.value.id;
    if (got !== id) diary.faults.push(`Key ${key} made order ${id}; repeated it answered ${got}.`);
  }

  /** Reads an order: nothing that was answered before may be missing. */
  async #look({ id, answered }: PlacedOrder): Promise<void> {
    const { diary } = this.#parts;
    const before = [...answered];
    const answer = await untilAnswered(() => this.#client.orders.get(id), this.#parts);
    if ('code' in answer) return;
    const { status } = answer.value;
    const forgotten = before.find((state) => !mayFollow(state, status));
    if (forgotten)
      diary.faults.push(`Order ${id} was ${forgotten} and was then read as ${status}.`);
  }

  #create(idempotencyKey: string, listingId: string, quantity: number) {
    const send = () => this.#client.orders.create({ listingId, quantity }, { idempotencyKey });
    return untilAnswered(send, this.#parts);
  }
}
