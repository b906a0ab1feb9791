import { leaseMs } from '@tradepost/domain/deliveries/delivery';
import { anAccount, anIdempotencyKey, noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import { hashApiKey } from '../../../src/kernel/api-key';
import { aKey } from '../../helpers/a-key';
import { aResult, failedResult } from '../../helpers/leasing';
import { Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

const page = { after: null, limit: 100 };

/** A restart loses nothing. */
export function describeReopening(underTest: StoreUnderTest): void {
  describe('a restart', () => {
    test('keeps accounts, keys, listings, orders, notifications and stored responses', async () => {
      const trade = await Trade.open(underTest.current, { lowThreshold: 995 });
      const account = anAccount({ kind: 'agent' });
      const { record, apiKey } = aKey({ accountId: account.id });
      await trade.store.accounts.addAccount(account, record);
      const idempotencyKey = anIdempotencyKey({ accountId: trade.buyer.accountId });
      const order = await trade.place({ idempotencyKey });
      const confirmed = await trade.move(order, 'confirmed');
      const { accountId } = trade.seller;
      const notifications = await trade.store.notifications.listNotifications(accountId, {}, page);
      const listing = await trade.store.listings.findListing(trade.listing.id);

      const again = trade.on(await underTest.reopen());
      expect(await again.store.accounts.findAccount(account.id)).toEqual(account);
      expect(await again.store.accounts.findKeyByHash(hashApiKey(apiKey))).toEqual({
        ...record,
        kind: 'agent',
        suspendedAt: null,
        requestsPerMinute: null,
      });
      expect(await again.store.listings.findListing(trade.listing.id)).toEqual(listing);
      expect(await again.store.orders.listOrders(trade.agent, {}, page)).toEqual([confirmed]);
      expect(await again.store.notifications.listNotifications(accountId, {}, page)).toEqual(
        notifications,
      );
      expect(await again.place({ idempotencyKey })).toEqual(order);
      expect(await again.store.orders.listOrders(trade.buyer, {}, page)).toHaveLength(1);
    });

    test('keeps the queue: what is due, what is leased, what was attempted', async () => {
      const trade = await Trade.open(underTest.current);
      await trade.subscribe(trade.buyer, ['order.created']);
      for (let count = 0; count < 3; count += 1) await trade.place();
      const request = { now: noon, leaseUntil: noon + leaseMs, leaseToken: 'before', limit: 2 };
      const [retried, interrupted] = await trade.store.deliveries.leaseDue(request);
      if (!(retried && interrupted)) throw new Error('two of three were leased');
      await trade.store.deliveries.recordAttempts([failedResult(retried, noon + 5_000)], noon);

      const { deliveries } = await underTest.reopen();
      const now = { ...request, leaseToken: 'after', limit: 100 };
      const [untouched, ...none] = await deliveries.leaseDue(now);
      expect(none).toEqual([]);
      if (untouched === undefined) throw new Error('one was never leased');
      expect(untouched).toMatchObject({ attemptCount: 0 });
      await deliveries.recordAttempts([aResult(untouched)], noon);
      const later = await deliveries.leaseDue({ ...now, now: noon + 5_000 });
      expect(later).toEqual([
        { ...retried, leaseToken: expect.any(String), attemptCount: 1, scheduledTries: 1 },
      ]);
      const last = await deliveries.leaseDue({ ...now, now: noon + leaseMs });
      expect(last.map(({ id }) => id)).toContain(interrupted.id);
    });

    test('keeps webhooks and their subscriptions', async () => {
      const trade = await Trade.open(underTest.current);
      const { id } = await trade.subscribe(trade.seller, ['order.created']);
      const again = trade.on(await underTest.reopen());
      await again.place();
      const request = { now: noon, leaseUntil: noon + 1, leaseToken: 'after', limit: 10 };
      expect(await again.store.deliveries.leaseDue(request)).toMatchObject([{ webhookId: id }]);
    });
  });
}
