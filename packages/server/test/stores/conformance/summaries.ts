import type { Caller } from '@tradepost/domain/accounts/account';
import { noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import { leaseDue, rejectedResult } from '../../helpers/leasing';
import { addCaller, Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

/** What accounts have, counted up to a limit. */
export function describeSummaries(underTest: StoreUnderTest): void {
  describe('the counts of an account', () => {
    const noOrders = { pending: 0, confirmed: 0, fulfilling: 0, completed: 0, cancelled: 0 };

    test('are of the orders that it sees, whatever its kind, and of its own notifications and webhooks', async () => {
      const trade = await Trade.open(underTest.current);
      const { store, buyer, seller, agent } = trade;
      const count = (caller: Caller, limit = 1_001) =>
        store.summaries.countAccount(caller, limit, noon);
      const stranger = await addCaller(store, 'seller');
      const none = { active: 0, paused: 0, disabled: 0, backoff: 0 };
      expect(await count(stranger)).toEqual({ orders: noOrders, unread: 0, webhooks: none });

      for (let placed = 0; placed < 3; placed += 1) await trade.place({ quantity: 1 });
      await trade.move(await trade.place({ quantity: 1 }), 'cancelled');
      await trade.subscribe(buyer, ['order.created']);
      await trade.subscribe(buyer, ['order.created'], { status: 'paused' });
      const page = { after: null, limit: 1 };
      const [newest] = await store.notifications.listNotifications(buyer.accountId, {}, page);
      await store.notifications.markRead(buyer.accountId, newest?.id ?? '');

      const orders = { ...noOrders, pending: 3, cancelled: 1 };
      expect(await count(buyer)).toEqual({
        orders,
        unread: 9,
        webhooks: { active: 1, paused: 1, disabled: 0, backoff: 0 },
      });
      for (const caller of [seller, agent]) {
        expect(await count(caller)).toEqual({ orders, unread: 10, webhooks: none });
      }
      expect(await count(stranger)).toEqual({ orders: noOrders, unread: 0, webhooks: none });
      const limited = { orders: { ...noOrders, pending: 2, cancelled: 1 }, unread: 2 };
      expect(await count(seller, 2)).toMatchObject(limited);
    });

    test('tell a webhook in backoff from one that gets deliveries, and leave out deleted ones', async () => {
      const trade = await Trade.open(underTest.current);
      const { store, buyer } = trade;
      const failing = await trade.subscribe(buyer, ['order.created']);
      await trade.subscribe(buyer, ['task.completed']);
      for (let placed = 0; placed < 6; placed += 1) await trade.place({ quantity: 1 });
      const count = async (now: number) =>
        (await store.summaries.countAccount(buyer, 10, now)).webhooks;
      let now = noon;
      for (let round = 0; round < 6; round += 1) {
        const leased = await leaseDue(store, now);
        await store.deliveries.recordAttempts(
          leased.map((one) => rejectedResult(one, now)),
          now + 10,
        );
        now += 60_000;
      }
      const page = { after: null, limit: 10 };
      const [delivery] = await store.deliveryLog.listDeliveries(buyer.accountId, {}, page);
      const backoffUntil = delivery?.backoffUntil ?? 0;
      expect(backoffUntil).toBeGreaterThan(noon);
      expect(await count(backoffUntil - 1)).toEqual({
        active: 1,
        paused: 0,
        disabled: 0,
        backoff: 1,
      });
      expect(await count(backoffUntil)).toEqual({ active: 2, paused: 0, disabled: 0, backoff: 0 });
      await store.webhooks.deleteWebhook(buyer.accountId, failing.id, now);
      expect(await count(backoffUntil - 1)).toEqual({
        active: 1,
        paused: 0,
        disabled: 0,
        backoff: 0,
      });
    });
  });
}
