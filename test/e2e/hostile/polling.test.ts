import { type Order, Tradepost } from '@tradepost/sdk';
import { expect, it } from 'vitest';
import { startApi, usePostgres } from '../../helpers/start-postgres';

const createDatabase = await usePostgres();

const writers = 16;
const ordersOfEach = 20;

/** Polls as the types of the SDK suggest: with the latest time that it has got. */
class Poller {
  /** The latest version of each order. */
  readonly orders = new Map<string, Order>();
  readonly #client: Tradepost;
  #latest = '1970-01-01T00:00:00Z';

  constructor(client: Tradepost) {
    this.#client = client;
  }

  async poll(): Promise<void> {
    const list = this.#client.orders.list({ updatedAfter: this.#latest, sort: 'updatedAt' });
    for await (const order of list) {
      this.orders.set(order.id, order);
      if (order.updatedAt > this.#latest) this.#latest = order.updatedAt;
    }
  }
}

it('a poller by updatedAfter gets every order that 16 clients place and change on two APIs', async () => {
  const { url, seed } = await createDatabase();
  const apis = await Promise.all([startApi(url), startApi(url)]);
  const clientOf = (account: number, api: number) =>
    new Tradepost({
      baseUrl: apis[api]?.url ?? '',
      apiKey: seed.accounts[account]?.apiKey ?? '',
      maxRetries: 10,
    });
  const pollers = [0, 1].map((api) => new Poller(clientOf(1, api)));
  const listings = seed.listings.map(({ id }) => id);
  const expected = new Map<string, string>();
  let isDone = false;
  const polling = pollers.map(async (poller) => {
    while (!isDone) await poller.poll();
  });
  const write = async (writer: number) => {
    const [buyer, seller] = [clientOf(0, writer % 2), clientOf(1, writer % 2)];
    for (let count = 0; count < ordersOfEach; count += 1) {
      // The second listing has fewer units.
      const listingId = listings[writer % 4 === 0 ? 1 : 0] ?? '';
      const { id, status } = await buyer.orders.create({ listingId, quantity: 1 });
      expected.set(id, status);
      if (count % 3 > 0) continue;
      await seller.orders.update(id, { status: 'cancelled' });
      expected.set(id, 'cancelled');
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  isDone = true;
  await Promise.all(polling);
  expect(expected.size).toBe(writers * ordersOfEach);
  for (const poller of pollers) {
    await poller.poll();
    const missed = [...expected].filter(([id, status]) => poller.orders.get(id)?.status !== status);
    expect(missed).toEqual([]);
  }
}, 120_000);
