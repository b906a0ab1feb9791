import { describe, expect, test } from 'vitest';
import { hashApiKey } from '../../../src/accounts/api-key';
import { leaseTime } from '../../../src/deliveries/delivery';
import { aClaim, aKey, anAccount, noon } from '../../builders';
import { failedUntil, outcomeOf } from '../claiming';
import { Trade } from '../trade';
import type { StoreUnderTest } from './store-under-test';

const page = { after: null, limit: 100 };

/** A restart loses nothing. */
export function describeReopening(underTest: StoreUnderTest): void {
  describe('closing and opening again', () => {
    test('keeps accounts, keys, listings, orders, notifications and kept answers', async () => {
      const trade = await Trade.open(underTest.current, { lowThreshold: 995 });
      const account = anAccount({ kind: 'agent' });
      const { record, apiKey } = aKey({ accountId: account.id });
      await trade.store.accounts.addAccount(account, record);
      const claim = aClaim({ accountId: trade.buyer.accountId });
      const order = await trade.place({ claim });
      const confirmed = await trade.move(order, 'confirmed');
      const { accountId } = trade.seller;
      const told = await trade.store.notifications.listNotifications(accountId, {}, page);
      const listing = await trade.store.listings.findListing(trade.listing.id);

      const again = trade.on(await underTest.reopen());
      expect(await again.store.accounts.findAccount(account.id)).toEqual(account);
      expect(await again.store.accounts.findKeyByHash(hashApiKey(apiKey))).toEqual({
        ...record,
        kind: 'agent',
      });
      expect(await again.store.listings.findListing(trade.listing.id)).toEqual(listing);
      expect(await again.store.orders.listOrders(trade.agent, {}, page)).toEqual([confirmed]);
      expect(await again.store.notifications.listNotifications(accountId, {}, page)).toEqual(told);
      expect(await again.place({ claim })).toEqual(order);
      expect(await again.store.orders.listOrders(trade.buyer, {}, page)).toHaveLength(1);
    });

    test('keeps the queue: what is due, what is claimed, what was tried', async () => {
      const trade = await Trade.open(underTest.current);
      await trade.subscribe(trade.buyer, ['order.created']);
      for (let count = 0; count < 3; count += 1) await trade.place();
      const request = { now: noon, leaseUntil: noon + leaseTime, token: 'before', limit: 2 };
      const [tried, held] = await trade.store.deliveries.claimDue(request);
      if (!(tried && held)) throw new Error('two of three were claimed');
      await trade.store.deliveries.recordAttempts([failedUntil(tried, noon + 5_000)], noon);

      const { deliveries } = await underTest.reopen();
      const now = { ...request, token: 'after', limit: 100 };
      const [untouched, ...none] = await deliveries.claimDue(now);
      expect(none).toEqual([]);
      if (untouched === undefined) throw new Error('one was never claimed');
      expect(untouched).toMatchObject({ attempts: 0 });
      await deliveries.recordAttempts([outcomeOf(untouched)], noon);
      const later = await deliveries.claimDue({ ...now, now: noon + 5_000 });
      expect(later).toEqual([{ ...tried, token: expect.any(String), attempts: 1, tries: 1 }]);
      const last = await deliveries.claimDue({ ...now, now: noon + leaseTime });
      expect(last.map(({ id }) => id)).toContain(held.id);
    });

    test('keeps webhooks and their subscriptions', async () => {
      const trade = await Trade.open(underTest.current);
      const { id } = await trade.subscribe(trade.seller, ['order.created']);
      const again = trade.on(await underTest.reopen());
      await again.place();
      const request = { now: noon, leaseUntil: noon + 1, token: 'after', limit: 10 };
      expect(await again.store.deliveries.claimDue(request)).toMatchObject([{ webhookId: id }]);
    });
  });
}
