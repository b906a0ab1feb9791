import type { AccountRetention } from '@tradepost/domain/accounts/retention';
import { replayDelivery } from '@tradepost/domain/deliveries/logged-delivery';
import { aContext, noon } from '@tradepost/domain/test/builders';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { storedBuckets } from '@tradepost/domain/webhooks/stats-counts';
import { describe, expect, test } from 'vitest';
import { createAccountTask } from '../../../src/retention/account-retention';
import { resolveRetention } from '../../../src/retention/retention';
import type { Store } from '../../../src/stores/store';
import { addEndpoint, enqueueDelivery } from '../../helpers/enqueue';
import { aResult, failedResult, leaseDue } from '../../helpers/leasing';
import { Trade } from '../../helpers/trade';
import { changeAccount } from '../change-account';
import type { StoreUnderTest } from './store-under-test';

const day = 24 * 60 * 60 * 1000;
const page = { after: null, limit: 100 };
const short = { keepDeliveries: 2, keepNotifications: 3, keepUnreadNotifications: 4 };
const defaults = { keepDeliveries: null, keepNotifications: null, keepUnreadNotifications: null };

const setRetention = (store: Store, id: string, times: Partial<AccountRetention>) =>
  changeAccount(store, id, (found) => ({ ...found, ...times }));

/** Runs steps of the housekeeper's task. By default all of a pass, at a time. Returns how many items they removed. */
async function prune(
  store: Store,
  now: number,
  { events = 30, steps = 100 }: { events?: number; steps?: number } = {},
): Promise<number> {
  const { accounts, deliveries, retention } = store;
  const retentionDays = resolveRetention({ events });
  const clock = new FakeClock(now);
  const task = createAccountTask({ accounts, deliveries, retention, retentionDays, clock });
  let total = 0;
  for (let step = 0; step < steps; step += 1) {
    const { count, done } = await task.step();
    total += count;
    if (done) return total;
  }
  if (steps === 100) throw new Error('a pass must end');
  return total;
}

/** Returns the IDs of what a store has of an account. */
async function readRest(store: Store, accountId: string) {
  const deliveries = await store.deliveryLog.listDeliveries(accountId, {}, page);
  const notifications = await store.notifications.listNotifications(accountId, {}, page);
  const events = await store.events.readEvents(accountId, 0, 100);
  const toIds = (items: { id: string }[]) => items.map(({ id }) => id);
  return [toIds(deliveries), toIds(notifications), toIds(events)];
}

/** Delivers what is due, as many at once as the limit of each endpoint allows. */
async function deliver(store: Store, now: number): Promise<void> {
  for (;;) {
    const leased = await leaseDue(store, now);
    if (leased.length === 0) return;
    const results = leased.map((delivery) => aResult(delivery));
    await store.deliveries.recordAttempts(results, now);
  }
}

/** Times of single accounts. */
export function describeAccountRetention(underTest: StoreUnderTest): void {
  describe('the retention of an account', () => {
    test('removes its old finished deliveries with their attempts and its old notifications, and nothing else', async () => {
      const trade = await Trade.open(underTest.current, { agentId: null });
      const { store, buyer, seller } = trade;
      const own = await trade.subscribe(buyer, ['order.created']);
      await trade.subscribe(seller, ['order.created']);
      for (const now of [noon, noon + 1, noon + 5 * day]) await trade.place({ now });
      const leased = await leaseDue(store, noon + 1);
      const retried = leased.find(({ webhookId }) => webhookId === own.id);
      const results = leased.map((one) =>
        one === retried ? failedResult(one, noon + 9 * day) : aResult(one),
      );
      await store.deliveries.recordAttempts(results, noon + 1);
      await deliver(store, noon + 5 * day);
      const [, second, first] = await store.notifications.listNotifications(
        buyer.accountId,
        {},
        page,
      );
      await store.notifications.markRead(buyer.accountId, first?.id ?? '');
      const [deliveries = [], notifications = [], events] = await readRest(store, buyer.accountId);
      const others = await readRest(store, seller.accountId);
      const { width } = storedBuckets.hour;
      const query = { since: noon - day, until: noon + 9 * day, width, bucketMs: 10 * day };
      const stats = () => store.webhooks.sumStats([own.id], query);
      const counted = await stats();
      expect([deliveries.length, notifications.length]).toEqual([3, 3]);
      const delivered = leased.find((one) => one.webhookId === own.id && one !== retried)?.id ?? '';

      expect(await prune(store, noon + 90 * day)).toBe(0);
      await setRetention(store, buyer.accountId, short);
      expect(await prune(store, noon + 2 * day)).toBe(0);
      expect(await prune(store, noon + 2 * day + 2)).toBe(1);
      const left = deliveries.filter((id) => id !== delivered);
      expect(await readRest(store, buyer.accountId)).toEqual([left, notifications, events]);
      expect(await store.deliveryLog.findDelivery(buyer.accountId, delivered)).toBeNull();
      expect(await prune(store, noon + 3 * day + 2)).toBe(1);
      const unread = notifications.filter((id) => id !== first?.id);
      expect(await readRest(store, buyer.accountId)).toEqual([left, unread, events]);
      expect(await prune(store, noon + 4 * day + 2)).toBe(1);
      const young = unread.filter((id) => id !== second?.id);
      expect(await readRest(store, buyer.accountId)).toEqual([left, young, events]);
      expect(await prune(store, noon + 4 * day + 2)).toBe(0);

      expect(await readRest(store, seller.accountId)).toEqual(others);
      expect(await stats()).toEqual(counted);
      const kept = await store.deliveryLog.findDelivery(buyer.accountId, retried?.id ?? '');
      expect(kept).toMatchObject({ state: 'pending', attempts: [{ number: 1 }] });
      await setRetention(store, buyer.accountId, defaults);
      expect(await prune(store, noon + 2_000 * day)).toBe(0);
    });

    test('counts from the next step of a pass when it is changed', async () => {
      const trade = await Trade.open(underTest.current);
      const { store } = trade;
      const { accountId } = await addEndpoint(trade);
      await enqueueDelivery(trade, { accountId, count: 2 });
      await deliver(store, noon);
      const { accounts, deliveries, retention } = store;
      const retentionDays = resolveRetention();
      const clock = new FakeClock(noon + 5 * day);
      const task = createAccountTask({ accounts, deliveries, retention, retentionDays, clock });
      await setRetention(store, accountId, short);
      // Unread notifications are the first part, and deliveries the last.
      expect(await task.step()).toMatchObject({ count: 2, done: false });
      await setRetention(store, accountId, defaults);
      expect(await task.step()).toMatchObject({ count: 0, done: true });
      expect((await readRest(store, accountId))[0]).toHaveLength(2);
    });

    test('does not remove an event before the time of the server, and then with its last reference', async () => {
      const trade = await Trade.open(underTest.current);
      const { store } = trade;
      const { accountId } = await addEndpoint(trade);
      await setRetention(store, accountId, { keepDeliveries: 2, keepNotifications: 1 });
      for (const events of [30, 1]) {
        const [event] = await enqueueDelivery(trade, { accountId });
        await deliver(store, noon);
        const [notification] = await store.notifications.listNotifications(accountId, {}, page);
        await store.notifications.markRead(accountId, notification?.id ?? '');
        expect(await prune(store, noon + 3 * day, { events })).toBe(2);
        const [, , left] = await readRest(store, accountId);
        expect(left?.includes(event ?? '')).toBe(events === 30);
      }
    });

    test('leaves longer times to the server', async () => {
      const trade = await Trade.open(underTest.current);
      const { store } = trade;
      const { accountId } = await addEndpoint(trade);
      await enqueueDelivery(trade, { accountId });
      await deliver(store, noon);
      const long = { keepDeliveries: 30, keepNotifications: 90, keepUnreadNotifications: 999 };
      await setRetention(store, accountId, long);
      expect(await prune(store, noon + 2_000 * day)).toBe(0);
    });

    test.each([
      [1, [1, 0, 1, 0, 1, 1, 0]],
      [4, [2, 2]],
    ])('passes deliveries that stay once, in steps of %i', async (limit, expected) => {
      const trade = await Trade.open(underTest.current);
      const { store } = trade;
      const { id: webhookId, accountId } = await addEndpoint(trade);
      // Several of one millisecond.
      for (const now of [noon, noon + 1])
        await enqueueDelivery(trade, { accountId, count: 3, now });
      await deliver(store, noon + 1);
      const all = (await store.deliveryLog.listDeliveries(accountId, {}, page)).toReversed();
      const replayed = [all[1]?.id ?? '', all[3]?.id ?? ''];
      const context = aContext(noon + day);
      const request = { accountId, ids: replayed, idempotencyKey: null, context };
      await store.deliveryLog.replayDeliveries(request, (found) => ({
        deliveries: found.map((one) => replayDelivery(one, context.now)),
        response: { status: 200, headers: {}, body: {} },
      }));
      await deliver(store, noon + day);
      const about = { webhookId, before: noon + day, eventsBefore: 0, state: 'delivered' } as const;
      const removed: number[] = [];
      for (let after: string | null = null, done = false; !done; ) {
        const result = await store.retention.pruneWebhookDeliveries({ ...about, after, limit });
        if (!result.done) expect(result.next).not.toBe(after);
        ({ next: after, done } = result);
        removed.push(result.removed);
      }
      expect(removed).toEqual(expected);
      const failed = { ...about, state: 'failed', before: noon + 9 * day, after: null } as const;
      expect(await store.retention.pruneWebhookDeliveries({ ...failed, limit: 9 })).toMatchObject({
        removed: 0,
        done: true,
      });
      const [left] = await readRest(store, accountId);
      expect(left?.toSorted()).toEqual(replayed.toSorted());
    });

    test('finds the accounts that have any, with their webhooks that are not deleted', async () => {
      const trade = await Trade.open(underTest.current);
      const { store, buyer, seller } = trade;
      const find = (after: string | null) => store.retention.findRetainingAccount(after);
      expect(await find(null)).toBeNull();
      const kept = await trade.subscribe(buyer, ['order.created']);
      const deleted = await trade.subscribe(buyer, ['order.created']);
      await store.webhooks.deleteWebhook(buyer.accountId, deleted.id, noon);
      await setRetention(store, buyer.accountId, { keepDeliveries: 9 });
      await setRetention(store, seller.accountId, { keepNotifications: 9 });
      const expected = [
        { ...defaults, id: buyer.accountId, keepDeliveries: 9, webhookIds: [kept.id] },
        { ...defaults, id: seller.accountId, keepNotifications: 9, webhookIds: [] },
      ].toSorted((one, other) => (one.id < other.id ? -1 : 1));
      const first = await find(null);
      const second = await find(first?.id ?? null);
      expect([first, second]).toEqual(expected);
      expect(await find(second?.id ?? null)).toBeNull();
    });
  });
}
