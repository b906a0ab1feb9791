import { describe, expect, test } from 'vitest';
import { aListing } from '../../helpers/builders';
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
  });
}
