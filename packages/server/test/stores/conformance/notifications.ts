import { decodeCursor, type PageKey, slicePage } from '@tradepost/domain/kernel/pagination';
import type { Notification } from '@tradepost/domain/notifications/notification';
import { noon } from '@tradepost/domain/test/builders';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store';
import { addCaller, Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

async function readPages(
  { notifications }: Store,
  accountId: string,
  filter: { read?: boolean },
  limit: number,
): Promise<Notification[]> {
  const pages: Notification[][] = [];
  for (let after: PageKey | null | undefined = null; after !== undefined; ) {
    const page = { after, limit: limit + 1 };
    const found: Notification[] = await notifications.listNotifications(accountId, filter, page);
    const { items, nextCursor } = slicePage(found, limit);
    pages.push(items);
    after = nextCursor === null ? undefined : decodeCursor(nextCursor, 'ntf');
  }
  return pages.flat();
}

/** Notifications: lists and marking as read. The tests of side effects cover who is notified of what. */
export function describeNotifications(underTest: StoreUnderTest): void {
  describe('in the store of notifications', () => {
    test('pages of any size have every notification exactly once, newest first, read or not as requested', async () => {
      const trade = await Trade.open(underTest.current);
      for (const offset of [0, 0, 3, 1]) {
        const order = await trade.place({ now: noon + offset });
        await trade.move(order, 'confirmed', noon + offset);
      }
      const { accountId } = trade.buyer;
      const all = await readPages(trade.store, accountId, {}, 100);
      expect(all).toHaveLength(16);
      const order = [...all].sort(
        (one, other) => other.createdAt - one.createdAt || (other.id < one.id ? -1 : 1),
      );
      expect(all).toEqual(order);

      for (const { id } of all.filter((_, index) => index % 3 === 0)) {
        await trade.store.notifications.markRead(accountId, id);
      }
      const marked = all.map((found, index) => ({ ...found, read: index % 3 === 0 }));
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 20 }),
          fc.constantFrom(undefined, true, false),
          async (limit, read) => {
            const filter = read === undefined ? {} : { read };
            const found = await readPages(trade.store, accountId, filter, limit);
            expect(found).toEqual(
              marked.filter((notification) => read === undefined || notification.read === read),
            );
          },
        ),
      );
    });

    test('a notification is marked read, and stays so when it is marked again', async () => {
      const trade = await Trade.open(underTest.current);
      await trade.place();
      const { accountId } = trade.buyer;
      const [newest, other] = await readPages(trade.store, accountId, {}, 10);
      if (!(newest && other)) throw new Error('an order with an agent makes two notifications');
      const read = { ...newest, read: true };
      const { notifications } = trade.store;
      expect(await notifications.markRead(accountId, newest.id)).toEqual(read);
      expect(await notifications.markRead(accountId, newest.id)).toEqual(read);
      expect(await readPages(trade.store, accountId, {}, 10)).toEqual([read, other]);
    });

    test("an account cannot mark another account's notification read, or learn that it exists", async () => {
      const trade = await Trade.open(underTest.current);
      const stranger = await addCaller(underTest.current, 'buyer');
      await trade.place();
      const { notifications } = trade.store;
      const before = await readPages(trade.store, trade.buyer.accountId, {}, 10);
      for (const { id } of before) {
        for (const { accountId } of [trade.seller, trade.agent, stranger]) {
          expect(await notifications.markRead(accountId, id)).toBeNull();
        }
      }
      expect(await readPages(trade.store, trade.buyer.accountId, {}, 10)).toEqual(before);
    });

    test('a notification that one participant reads stays unread for the others', async () => {
      const trade = await Trade.open(underTest.current);
      await trade.place();
      const [own] = await readPages(trade.store, trade.buyer.accountId, {}, 1);
      await trade.store.notifications.markRead(trade.buyer.accountId, own?.id ?? '');
      const others = await readPages(trade.store, trade.seller.accountId, { read: true }, 10);
      expect(others).toEqual([]);
    });

    test('there is nothing to mark under an unknown id', async () => {
      const { buyer, store } = await Trade.open(underTest.current);
      expect(await store.notifications.markRead(buyer.accountId, 'ntf_unknown')).toBeNull();
    });
  });
}
