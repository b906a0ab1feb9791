import { Tradepost } from '@tradepost/sdk';
import { runServerCommand } from './run-server-command';
import type { SeededServer } from './start-seeded-server';

/**
 * Places orders of one unit each, all pending, from a listing of their own without an agent.
 *
 * @returns their ids
 */
export async function placeOrders(seeded: SeededServer, count: number): Promise<string[]> {
  const { server, buyer, seller } = seeded;
  const listing = await runServerCommand<{ id: string }>(
    ['listings', 'create', '--seller', seller.id, '--quantity', String(count)],
    server.database,
  );
  const { orders } = new Tradepost({ baseUrl: server.url, apiKey: buyer.apiKey });
  const ids: string[] = [];
  let begun = 0;
  async function place(): Promise<void> {
    for (; begun < count; ) {
      begun += 1;
      ids.push((await orders.create({ listingId: listing.id, quantity: 1 })).id);
    }
  }
  await Promise.all(Array.from({ length: 16 }, place));
  return ids;
}
