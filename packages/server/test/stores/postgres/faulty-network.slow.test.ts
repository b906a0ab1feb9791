import { randomInt } from 'node:crypto';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import type { Order } from '@tradepost/domain/orders/order';
import { anIdempotencyKey, noon } from '@tradepost/domain/test/builders';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import type { Store } from '../../../src/stores/store';
import { type Fate, type FateOf, startFaultyNetwork } from '../../helpers/faulty-network';
import { ReusedDatabases, startPostgres, type TestDatabase } from '../../helpers/postgres';
import { type PlaceOptions, Trade } from '../../helpers/trade';
import { SeededRandom } from '../../simulation/seeded-random';

const postgres = await startPostgres();
const databases = new ReusedDatabases(postgres);
afterAll(postgres.stop);

const page = { after: null, limit: 1_000 };

describe('over a faulty network', () => {
  let database: TestDatabase;
  /** A trade in a store without a proxy. */
  let trade: Trade;

  beforeEach(async () => {
    database = await databases.take();
    const store = await openPostgresStore(database.url);
    trade = await Trade.open(store, { availableQuantity: 10_000 });
    onTestFinished(async () => {
      await store.close();
      await database.remove();
    });
  });

  /** Opens the store through a network that is healthy meanwhile. */
  async function openOver(decide: FateOf): Promise<{ store: Store; heal: () => void }> {
    let isFaulty = false;
    const network = await startFaultyNetwork(database.url, (...part) =>
      isFaulty ? decide(...part) : 'pass',
    );
    const store = await openPostgresStore(network.url);
    isFaulty = true;
    onTestFinished(async () => {
      await network.close();
      await store.close();
    });
    return { store, heal: network.heal };
  }

  const listOrders = () => trade.store.orders.listOrders(trade.buyer, {}, page);

  /** Places an order, and repeats that until it succeeds, as a client does. */
  async function placeUntilDone(over: Trade, options: PlaceOptions): Promise<Order> {
    for (;;) {
      try {
        return await over.place(options);
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
      }
    }
  }

  test('orders with idempotency keys are placed once each, whichever connections are reset or delayed', async () => {
    const seed = randomInt(1_000_000);
    const random = new SeededRandom(String(seed));
    const decide = (): Fate => {
      const draw = random.next();
      if (draw < 0.01) return 'reset before';
      if (draw < 0.02) return 'reset after';
      return draw < 0.1 ? { delayMs: random.next() * 40 } : 'pass';
    };
    const networks = await Promise.all([openOver(decide), openOver(decide)]);
    const traders = networks.map(({ store }) => trade.on(store));
    const placed: Order[] = [];
    const clients = Array.from({ length: 6 }, async (_, client) => {
      for (let number = 0; number < 25; number += 1) {
        const { accountId } = trade.buyer;
        const idempotencyKey = anIdempotencyKey({ accountId, key: `${client}-${number}` });
        const quantity = 1 + number;
        const [first, second] = client % 2 === 0 ? traders : traders.toReversed();
        if (!(first && second)) throw new Error('there are two');
        const order = await placeUntilDone(first, { quantity, idempotencyKey });
        const repeated = await placeUntilDone(second, { quantity, idempotencyKey });
        expect(repeated, `seed ${seed}`).toEqual(order);
        placed.push(order);
      }
    });
    await Promise.all(clients);
    for (const { heal } of networks) heal();
    const orders = await listOrders();
    const byId = (a: Order, b: Order) => (a.id < b.id ? -1 : 1);
    expect(orders.sort(byId), `seed ${seed}`).toEqual(placed.sort(byId));
    const taken = placed.reduce((sum, { quantity }) => sum + quantity, 0);
    expect(await trade.unitsLeft(), `seed ${seed}`).toBe(10_000 - taken);
    const events = await trade.store.events.readEvents(trade.buyer.accountId, 0, 1_000);
    // An order has two: its creation and its task.
    expect(events, `seed ${seed}`).toHaveLength(2 * placed.length);
  });

  describe.each(['client', 'server'] as const)(
    'a commit whose message from the %s is lost',
    (from) => {
      /** The connection of the first commit goes silent. */
      function silenceOneCommit(): FateOf {
        let isCommitSent = false;
        let isOver = false;
        return (part, sender) => {
          if (isOver) return 'pass';
          isCommitSent ||= sender === 'client' && part.includes('COMMIT\0');
          if (!isCommitSent || sender !== from) return 'pass';
          isOver = true;
          return 'silence';
        };
      }

      test('is hidden from an order, which is placed once', async () => {
        const { store } = await openOver(silenceOneCommit());
        const order = await trade.on(store).place({ quantity: 3 });
        expect(await listOrders()).toEqual([order]);
        expect(await trade.unitsLeft()).toBe(9_997);
      });
    },
  );

  test('a worker whose session went silent checks others again', async () => {
    let isOver = false;
    const { store } = await openOver((part) => {
      // Only the session of its own checks whether others hold their locks.
      if (isOver || !part.includes('pg_advisory_unlock')) return 'pass';
      isOver = true;
      return 'silence';
    });
    await store.deliveries.registerWorker();
    await trade.store.deliveries.registerWorker();
    await expect(store.deliveries.releaseDeadLeases(noon)).rejects.toThrow();
    expect(await store.deliveries.releaseDeadLeases(noon)).toBe(0);
  });
});
