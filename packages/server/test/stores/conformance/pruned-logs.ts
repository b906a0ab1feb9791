import type { Caller } from '@tradepost/domain/accounts/account';
import { aContext, noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store';
import { Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

const day = 24 * 60 * 60 * 1000;

/** Removes what happened before a time, with its notifications, as retention does. */
export async function pruneBefore({ retention }: Store, before: number): Promise<void> {
  const step = { after: null, before, limit: 500 };
  await retention.pruneNotifications({ ...step, eventsBefore: before, unread: true });
  await retention.pruneEvents(step);
}

/** How far each event log goes, and how far it was pruned. */
export function describePrunedLogs(underTest: StoreUnderTest): void {
  describe('an event log', () => {
    async function open() {
      const trade = await Trade.open(underTest.current, { agentId: null });
      const { events } = trade.store;
      const readAll = async ({ accountId }: Caller) => {
        const found = await events.readEvents(accountId, 0, 100);
        return found.map(({ seq }) => seq);
      };
      return { trade, events, readAll };
    }

    test('ends at its last committed event, also before that was read', async () => {
      const { trade, events, readAll } = await open();
      const { accountId } = trade.buyer;
      expect(await events.findLimits(accountId)).toEqual({ last: 0, prunedTo: 0 });
      await trade.place();
      const { last } = await events.findLimits(accountId);
      expect([last]).toEqual(await readAll(trade.buyer));
      expect(await events.readEvents(accountId, last, 10)).toEqual([]);
      await trade.place();
      expect(await events.readEvents(accountId, last, 10)).toHaveLength(1);
    });

    test('remembers the last event that was removed, also if it is empty now', async () => {
      const { trade, events, readAll } = await open();
      for (const now of [noon, noon + day, noon + 2 * day]) await trade.place({ now });
      const [, second = 0, third = 0] = await readAll(trade.buyer);
      await pruneBefore(trade.store, noon + 2 * day);
      expect(await readAll(trade.buyer)).toEqual([third]);
      expect(await events.findLimits(trade.buyer.accountId)).toEqual({
        last: third,
        prunedTo: second,
      });
      await pruneBefore(trade.store, noon + 3 * day);
      expect(await readAll(trade.buyer)).toEqual([]);
      expect(await events.findLimits(trade.buyer.accountId)).toEqual({
        last: third,
        prunedTo: third,
      });
      const store = await underTest.reopen();
      expect(await store.events.findPrunedTo(trade.buyer.accountId)).toBe(third);
    });

    test('remembers it although an older event is still stored', async () => {
      const { trade, events, readAll } = await open();
      await trade.place();
      await trade.place({ now: noon + day });
      const [first = 0, second = 0] = await readAll(trade.seller);
      const { accountId } = trade.seller;
      const { store } = trade;
      const list = (of: string) =>
        store.notifications.listNotifications(of, {}, { after: null, limit: 10 });
      // The notifications of the newer event are read, and go first.
      for (const of of [accountId, trade.buyer.accountId]) {
        const [newer] = await list(of);
        await store.notifications.markRead(of, newer?.id ?? '');
      }
      const step = { after: null, limit: 100, before: noon + 2 * day };
      await store.retention.pruneNotifications({
        ...step,
        eventsBefore: noon + 2 * day,
        unread: false,
      });
      expect(await readAll(trade.seller)).toEqual([first]);
      expect(await events.findPrunedTo(accountId)).toBe(second);
    });

    test('that no one read since an event happened is known to have lost it', async () => {
      const { trade, events, readAll } = await open();
      const { accountId } = trade.buyer;
      await trade.place();
      const [position = 0] = await readAll(trade.buyer);
      await trade.place({ now: noon + 1 });
      await trade.place({ now: noon + 1 });
      await trade.place({ now: noon + 2 * day });
      await pruneBefore(trade.store, noon + day);
      const prunedTo = await events.findPrunedTo(accountId);
      expect(prunedTo).toBeGreaterThan(position);
      const [next = 0, ...others] = await readAll(trade.buyer);
      expect(others).toEqual([]);
      expect(next).toBeGreaterThan(prunedTo);
      // The seller has never read anything.
      expect(await events.findPrunedTo(trade.seller.accountId)).toBeGreaterThan(0);
      expect(await events.findPrunedTo(aContext().newId('usr'))).toBe(0);
    });
  });
}
