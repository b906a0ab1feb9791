import { Tradepost } from '@tradepost/sdk';
import { runServerCommand } from './run-server-command';
import type { SeededServer } from './start-seeded-server';

/**
 * Creates pending orders of one unit each, from a new listing without an agent.
 *
 * @returns their IDs
 */
export async function placeOrders(seeded: SeededServer, count: number): Promise<string[]> {
  const { server, buyer, seller } = seeded;
  const listing = await runServerCommand<{ id: string }>(
    ['listings', 'create', '--seller', seller.id, '--quantity', String(count)],
    server.database,
  );
  const { orders } = new Tradepost({ baseUrl: server.url, apiKey: buyer.apiKey });
  const ids: string[] = [];
  let started = 0;
  async function place(): Promise<void> {
    for (; started < count; ) {
      started += 1;
      ids.push((await orders.create({ listingId: listing.id, quantity: 1 })).id);
    }
  }
  await Promise.all(Array.from({ length: 16 }, place));
  return ids;
}
