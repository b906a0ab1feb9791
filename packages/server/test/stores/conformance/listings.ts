import { aListing } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import { addCaller } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

/** Listings. */
export function describeListings(underTest: StoreUnderTest): void {
  describe('in the store of listings', () => {
    test('a listing is found as it was added', async () => {
      const { listings } = underTest.current;
      const seller = await addCaller(underTest.current, 'seller');
      const agent = await addCaller(underTest.current, 'agent');
      const listing = aListing({
        sellerId: seller.accountId,
        agentId: agent.accountId,
        availableQuantity: 0,
        lowThreshold: 25,
        lowStockNotified: true,
        title: 'Coffee, washed, 60 kg bags “A”',
      });
      const plain = aListing({ sellerId: seller.accountId, agentId: null });
      await listings.addListing(listing);
      await listings.addListing(plain);
      expect(await listings.findListing(listing.id)).toEqual(listing);
      expect(await listings.findListing(plain.id)).toEqual(plain);
    });

    test('a listing that was never added is not found', async () => {
      expect(await underTest.current.listings.findListing('lst_unknown')).toBeNull();
    });

    test('a listing of a missing seller or agent is rejected', async () => {
      const { listings } = underTest.current;
      const { accountId: sellerId } = await addCaller(underTest.current, 'seller');
      for (const listing of [aListing({ agentId: null }), aListing({ sellerId })]) {
        await expect(listings.addListing(listing)).rejects.toThrow();
        expect(await listings.findListing(listing.id)).toBeNull();
      }
    });

    test('listings are listed newest first, of all sellers or of one', async () => {
      const { listings } = underTest.current;
      const { accountId: sellerId } = await addCaller(underTest.current, 'seller');
      const { accountId: otherId } = await addCaller(underTest.current, 'seller');
      const added = [sellerId, otherId, sellerId].map((id) =>
        aListing({ sellerId: id, agentId: null }),
      );
      for (const listing of added) await listings.addListing(listing);
      const [first, second, third] = added;
      expect(await listings.listListings()).toEqual([third, second, first]);
      expect(await listings.listListings(sellerId)).toEqual([third, first]);
      expect(await listings.listListings('usr_unknown')).toEqual([]);
    });

    test('a listing is changed as the decision returns it, and only that one', async () => {
      const { listings } = underTest.current;
      const { accountId: sellerId } = await addCaller(underTest.current, 'seller');
      const { accountId: agentId } = await addCaller(underTest.current, 'agent');
      const [listing, other] = [
        aListing({ sellerId, agentId: null }),
        aListing({ sellerId, agentId: null }),
      ];
      for (const one of [listing, other]) await listings.addListing(one);
      const title = 'Tea';
      const stock = { availableQuantity: 3, lowThreshold: 5, lowStockNotified: true };
      const changes = { ...stock, agentId, title };
      const changed = await listings.changeListing(listing.id, (found) => {
        expect(found).toEqual(listing);
        return { ...listing, ...changes };
      });
      expect(changed).toEqual({ ...listing, ...changes });
      expect(await listings.listListings()).toEqual([other, changed]);
    });

    test('a change of a listing that is rejected, or that names a missing agent, changes nothing', async () => {
      const { listings } = underTest.current;
      const { accountId: sellerId } = await addCaller(underTest.current, 'seller');
      const listing = aListing({ sellerId, agentId: null });
      await listings.addListing(listing);
      const missing = { ...listing, availableQuantity: 1, agentId: 'usr_unknown' };
      await expect(listings.changeListing(listing.id, () => missing)).rejects.toThrow();
      const reject = (found: unknown) => {
        throw new Error(`found ${found}`);
      };
      await expect(listings.changeListing('lst_unknown', reject)).rejects.toThrow('found null');
      expect(await listings.listListings()).toEqual([listing]);
    });
  });
}
