import { type OrderStatus, orderStatuses } from '@tradepost/sdk';
import type { SeededRandom } from '../../../helpers/seeded-random';
import { ApiClient, type ClientDependencies } from './api-client';
import { allowedTransitions } from './audit-orders';
import type { PlacedOrder } from './operation-log';
import type { Trader } from './seed-data';

/** Dependencies of a seller or an agent. */
export interface UpdaterDependencies extends ClientDependencies {
  random: SeededRandom;
  /** The orders of the market, oldest first. */
  orders: readonly PlacedOrder[];
}

/** Only the newest orders of an account are updated. Older ones mostly have a final status. */
const recentOrderCount = 40;

function getLastStatus({ accepted }: PlacedOrder): OrderStatus {
  return accepted.at(-1) ?? 'pending';
}

/** A client that updates orders as their seller or agent, mostly by allowed transitions, sometimes by others. */
export class StatusUpdater {
  readonly #dependencies: UpdaterDependencies;
  readonly #client: ApiClient;
  readonly #id: string;

  constructor(trader: Trader, dependencies: UpdaterDependencies) {
    this.#dependencies = dependencies;
    this.#id = trader.id;
    this.#client = new ApiClient(trader.apiKey, dependencies);
  }

  /** Does one action and waits for its response. */
  async act(): Promise<void> {
    const { random, orders } = this.#dependencies;
    const own = orders.slice(-recentOrderCount).filter(({ sellerId, agentId }) => {
      return sellerId === this.#id || agentId === this.#id;
    });
    const open = own.filter((order) => allowedTransitions(getLastStatus(order)).length > 0);
    if (own.length === 0) await this.#list();
    else if (open.length === 0 || random.chance(0.2)) {
      await this.#update(random.pick(own), random.pick(orderStatuses));
    } else {
      const order = random.pick(open);
      await this.#update(order, random.pick(allowedTransitions(getLastStatus(order))));
    }
  }

  async #list(): Promise<void> {
    await this.#client.request(async (tradepost) => await tradepost.orders.list());
  }

  async #update(order: PlacedOrder, status: OrderStatus): Promise<void> {
    const { log } = this.#dependencies;
    if (!order.requested.has(status)) order.requested.set(status, performance.now());
    const response = await this.#client.request((tradepost) =>
      tradepost.orders.update(order.id, { status }),
    );
    if ('value' in response) {
      const current = response.value.status;
      if (current !== status)
        log.violations.push(`${order.id} was changed to ${status} but returned as ${current}.`);
      order.accepted.push(status);
      return;
    }
    log.rejected += 1;
    // Another party may have updated it meanwhile. The audit checks the transitions by the events.
    if (response.code !== 'invalid_transition') {
      log.violations.push(`Changing ${order.id} to ${status} was rejected as ${response.code}.`);
    }
  }
}
