import { type OrderStatus, orderStatuses, type Tradepost } from '@tradepost/sdk';
import type { SeededRandom } from '../../../helpers/seeded-random';
import { movesFrom } from './allowed-transitions';
import type { PlacedOrder } from './operation-log';
import type { Trader } from './seed-data';
import { type ClientParts, clientOf, untilAnswered } from './until-answered';

/** What a seller or an agent works with. */
export interface MoverParts extends ClientParts {
  random: SeededRandom;
  /** The market's orders, the oldest first. */
  orders: readonly PlacedOrder[];
}

/** The newest of an account's orders are moved; those before have mostly come to their end. */
const inSight = 40;

function lastKnown({ answered }: PlacedOrder): OrderStatus {
  return answered.at(-1) ?? 'pending';
}

/** A client that moves orders as their seller or agent: mostly as it may, at times as it must not. */
export class Mover {
  readonly #parts: MoverParts;
  readonly #client: Tradepost;
  readonly #id: string;

  constructor(trader: Trader, parts: MoverParts) {
    this.#parts = parts;
    this.#id = trader.id;
    this.#client = clientOf(parts.server, trader.apiKey);
  }

  /** Does one thing and sees it through. */
  async act(): Promise<void> {
    const { random, orders } = this.#parts;
    const own = orders.slice(-inSight).filter(({ sellerId, agentId }) => {
      return sellerId === this.#id || agentId === this.#id;
    });
    const open = own.filter((order) => movesFrom(lastKnown(order)).length > 0);
    if (own.length === 0) await this.#list();
    else if (open.length === 0 || random.chance(0.2)) {
      await this.#move(random.pick(own), random.pick(orderStatuses));
    } else {
      const order = random.pick(open);
      await this.#move(order, random.pick(movesFrom(lastKnown(order))));
    }
  }

  async #list(): Promise<void> {
    await untilAnswered(async () => await this.#client.orders.list(), this.#parts);
  }

  async #move(order: PlacedOrder, status: OrderStatus): Promise<void> {
    const { diary } = this.#parts;
    if (!order.asked.has(status)) order.asked.set(status, performance.now());
    const send = () => this.#client.orders.update(order.id, { status });
    const answer = await untilAnswered(send, this.#parts);
    if ('value' in answer) {
      const is = answer.value.status;
      if (is !== status) diary.faults.push(`${order.id} was to be ${status}, answered ${is}.`);
      order.answered.push(status);
      return;
    }
    diary.refused += 1;
    // Its other party may have moved it meanwhile; that a move was legal shows in the events.
    if (answer.code !== 'invalid_transition') {
      diary.faults.push(`Moving ${order.id} to ${status} was refused as ${answer.code}.`);
    }
  }
}
