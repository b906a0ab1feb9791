import {
  createContext,
  createIdGenerator,
  type IdPrefix,
  systemClock,
} from '@tradepost/domain/kernel/context';
import { changeStatus, placeOrder } from '@tradepost/domain/orders/order';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store';
import { Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

/** A poller that continues after the latest time that it has seen, as a client of the API does. */
export class Poller {
  readonly #trade: Trade;
  readonly #by: 'updatedAt' | 'createdAt';
  /** How often each version of an order was seen, by `<id> <version>`. */
  readonly seen = new Map<string, number>();
  #latest = 0;

  constructor(trade: Trade, by: 'updatedAt' | 'createdAt' = 'updatedAt') {
    this.#trade = trade;
    this.#by = by;
  }

  /** Reads all pages of what is new. */
  async poll(store: Store = this.#trade.store, limit = 7): Promise<void> {
    const filter =
      this.#by === 'updatedAt' ? { updatedAfter: this.#latest } : { createdAfter: this.#latest };
    for (let after = null; ; ) {
      const page = { after, limit, sort: this.#by, isFinal: true };
      const orders = await store.orders.listOrders(this.#trade.seller, filter, page);
      for (const order of orders) {
        const version = `${order.id} ${order.version}`;
        this.seen.set(version, (this.seen.get(version) ?? 0) + 1);
        this.#latest = Math.max(this.#latest, order[this.#by]);
      }
      const last = orders.at(-1);
      if (last === undefined || orders.length < limit) return;
      after = { createdAt: last[this.#by], id: last.id } as never;
    }
  }
}

/** Places an order at the real time, which a store may correct. */
export async function placeNow(
  trade: Trade,
  {
    store = trade.store,
    clock = systemClock,
    newId = createIdGenerator(),
    listing = trade.listing,
  } = {},
) {
  const context = createContext(store.clock ?? clock, (prefix: IdPrefix, now) =>
    newId(prefix, now),
  );
  const { buyer } = trade;
  const request = {
    listingId: listing.id,
    buyerId: buyer.accountId,
    idempotencyKey: null,
    context,
  };
  const { response } = await store.orders.placeOrder(request, (found, at) => {
    const change = placeOrder(buyer, { listingId: listing.id, quantity: 1 }, found, at ?? context);
    return { change, response: { status: 201, headers: {}, body: change.order } };
  });
  return response.body;
}

/** Confirms an order at the real time, which a store may correct. */
export function confirmNow(trade: Trade, { id }: { id: string }, store = trade.store) {
  const context = createContext(store.clock ?? systemClock, createIdGenerator());
  const request = { caller: trade.seller, id, to: 'confirmed', ifMatch: undefined } as const;
  return store.orders.changeOrder(id, context, (found, at) =>
    changeStatus(request, found, at ?? context),
  );
}

/** A clock that a test sets, and that a store takes for a real one. */
class RealFakeClock extends FakeClock {
  readonly isReal = true;
}

/** Polling by the time of changes. */
export function describePolling(store: StoreUnderTest): void {
  describe('a poller that continues after the latest time that it has seen', () => {
    for (const by of ['updatedAt', 'createdAt'] as const) {
      test(`by ${by} sees each order, also if several are placed in one millisecond or the clock is set back a little`, async () => {
        const trade = await Trade.open(store.current);
        const clock = new RealFakeClock();
        const poller = new Poller(trade, by);
        const placed: string[] = [];
        for (const step of [0, 0, 1, -3, 0, 0, 2, -1_000, 1]) {
          clock.set(clock.now() + step);
          const order = await placeNow(trade, { clock });
          placed.push(`${order.id} 1`);
          await poller.poll();
          expect([...poller.seen]).toEqual(placed.map((version) => [version, 1]));
        }
      });
    }

    test('sees orders that are placed at the same time', async () => {
      const trade = await Trade.open(store.current);
      const poller = new Poller(trade);
      const newId = createIdGenerator();
      let isDone = false;
      const polling = (async () => {
        while (!isDone) await poller.poll();
      })();
      const writer = async () => {
        const placed: string[] = [];
        for (let count = 0; count < 10; count += 1)
          placed.push((await placeNow(trade, { newId })).id);
        return placed;
      };
      const placed = (await Promise.all(Array.from({ length: 8 }, writer))).flat();
      isDone = true;
      await polling;
      await poller.poll();
      expect([...poller.seen.keys()].sort()).toEqual(placed.map((id) => `${id} 1`).sort());
    });
  });
}
