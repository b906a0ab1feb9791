import { aListing } from '@tradepost/domain/test/builders';
import { afterAll, expect, test } from 'vitest';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import { ReusedDatabases, startPostgres } from '../../helpers/postgres';
import { addCaller, place, Trade } from '../../helpers/trade';

const postgres = await startPostgres();
const databases = new ReusedDatabases(postgres);
afterAll(postgres.stop);

test('two processes that add the same partners at the same time do not lock each other out', async () => {
  const { url, remove } = await databases.take();
  const stores = [await openPostgresStore(url), await openPostgresStore(url)] as const;
  const trade = await Trade.open(stores[0]);
  const { sellerId, agentId } = trade.listing;
  const buyers = await Promise.all(Array.from({ length: 20 }, () => addCaller(stores[0], 'buyer')));
  const listings = Array.from({ length: 20 }, () => aListing({ sellerId, agentId }));
  for (const listing of listings) await stores[0].listings.addListing(listing);
  // Each buyer orders in both processes, from another listing, so that no lock of a listing makes them take turns.
  const ordered = buyers.flatMap((buyer, at) => {
    const [listing, next] = [listings[at], listings[19 - at]];
    if (!(listing && next)) throw new Error('there is a listing for each buyer');
    return [place(stores[0], buyer, { listing }), place(stores[1], buyer, { listing: next })];
  });
  await Promise.all(ordered);
  for (const store of stores) {
    expect(store.getConnectionStatus?.().retries.deadlock).toBe(0);
    const page = { after: null, limit: 100 };
    const found = await store.partners.listPartners(sellerId, undefined, page);
    expect(found).toHaveLength(buyers.length + 1);
  }
  for (const store of stores) await store.close();
  await remove();
});
