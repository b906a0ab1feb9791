import type { MarkedNotifications } from '@tradepost/domain/notifications/notification';
import { aContext, noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store';
import { addCaller, Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

const listAll = ({ notifications }: Store, accountId: string) =>
  notifications.listNotifications(accountId, {}, { after: null, limit: 100 });

/** Notifications: marking as read. Lists are in `pages.ts`. The tests of side effects cover who is notified of what. */
export function describeNotifications(underTest: StoreUnderTest): void {
  describe('in the store of notifications', () => {
    test('a notification is marked read, and stays so when it is marked again', async () => {
      const trade = await Trade.open(underTest.current);
      await trade.place();
      const { accountId } = trade.buyer;
      const [newest, other] = await listAll(trade.store, accountId);
      if (!(newest && other)) throw new Error('an order with an agent makes two notifications');
      const read = { ...newest, read: true };
      const { notifications } = trade.store;
      expect(await notifications.markRead(accountId, newest.id)).toEqual(read);
      expect(await notifications.markRead(accountId, newest.id)).toEqual(read);
      expect(await listAll(trade.store, accountId)).toEqual([read, other]);
    });

    test("an account cannot mark another account's notification read, or learn that it exists", async () => {
      const trade = await Trade.open(underTest.current);
      const stranger = await addCaller(underTest.current, 'buyer');
      await trade.place();
      const { notifications } = trade.store;
      const before = await listAll(trade.store, trade.buyer.accountId);
      for (const { id } of before) {
        for (const { accountId } of [trade.seller, trade.agent, stranger]) {
          expect(await notifications.markRead(accountId, id)).toBeNull();
        }
      }
      expect(await listAll(trade.store, trade.buyer.accountId)).toEqual(before);
    });

    test('a notification that one participant reads stays unread for the others', async () => {
      const trade = await Trade.open(underTest.current);
      await trade.place();
      const [own] = await listAll(trade.store, trade.buyer.accountId);
      await trade.store.notifications.markRead(trade.buyer.accountId, own?.id ?? '');
      const others = (await listAll(trade.store, trade.seller.accountId)).filter(
        ({ read }) => read,
      );
      expect(others).toEqual([]);
    });

    test('those from before a time are marked in portions, the oldest first, and only those of the account', async () => {
      const trade = await Trade.open(underTest.current);
      const { notifications } = trade.store;
      const { accountId } = trade.buyer;
      // Two notifications each.
      for (const later of [0, 1, 2]) await trade.place({ now: noon + later });
      const all = await listAll(trade.store, accountId);
      const mark = async () => {
        const context = aContext(noon + 3);
        const request = { accountId, before: noon + 2, limit: 3, idempotencyKey: null, context };
        const toResponse = (body: MarkedNotifications) => ({ status: 200, headers: {}, body });
        return (await notifications.markAllRead(request, toResponse)).response.body;
      };
      const countRead = async () =>
        (await listAll(trade.store, accountId)).map(({ read }) => Number(read)).join('');
      expect(await mark()).toEqual({ marked: 3, hasMore: true });
      expect(await countRead()).toBe('000111');
      expect(await mark()).toEqual({ marked: 1, hasMore: false });
      expect(await mark()).toEqual({ marked: 0, hasMore: false });
      expect(await listAll(trade.store, accountId)).toEqual(
        all.map((one) => ({ ...one, read: one.createdAt < noon + 2 })),
      );
      const others = await listAll(trade.store, trade.seller.accountId);
      expect(others.filter(({ read }) => read)).toEqual([]);
    });

    test('there is nothing to mark under an unknown id', async () => {
      const { buyer, store } = await Trade.open(underTest.current);
      expect(await store.notifications.markRead(buyer.accountId, 'ntf_unknown')).toBeNull();
    });
  });
}
