import type { LeasedDelivery } from '@tradepost/domain/deliveries/delivery';
import { replayDelivery } from '@tradepost/domain/deliveries/logged-delivery';
import type { ReferencePruneStep, ScanPruned } from '@tradepost/domain/retention/retention-store';
import { aContext, anAttempt, anIdempotencyKey, noon } from '@tradepost/domain/test/builders';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store';
import { addEndpoint, enqueueDelivery } from '../../helpers/enqueue';
import { aResult, failedResult, leaseDue, leaseOne } from '../../helpers/leasing';
import { Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

const day = 24 * 60 * 60 * 1000;

type Prune = (step: ReferencePruneStep) => Promise<ScanPruned>;

/** Options of a scan. Events stay by default. */
interface PruneAll {
  limit?: number;
  eventsBefore?: number;
}

/** Scans to the end. Returns the number of removed items. */
async function pruneAll(
  prune: Prune,
  before: number,
  { limit = 100, eventsBefore = 0 }: PruneAll = {},
): Promise<number> {
  let total = 0;
  let step: ScanPruned = {
    removed: 0,
    next: null,
    done: false,
    isCut: false,
    busyMs: 0,
    waitedMs: 0,
  };
  while (!step.done) {
    const { next: after } = step;
    step = await prune({ after, before, eventsBefore, limit });
    total += step.removed;
    // A scan that makes no progress would never end.
    if (!step.done) expect(step.next).not.toBe(after);
  }
  return total;
}

/** Pruning of expired rows. */
export function describeRetention(underTest: StoreUnderTest): void {
  describe('retention', () => {
    /** Creates an endpoint with one leased delivery. */
    async function openLeased(now = noon) {
      const trade = await Trade.open(underTest.current);
      const { id: webhookId, accountId } = await addEndpoint(trade);
      await enqueueDelivery(trade, { accountId, now });
      const delivery = await leaseOne(trade.store, now);
      return { trade, store: trade.store, webhookId, accountId, delivery };
    }

    const pruneRead =
      ({ retention }: Store): Prune =>
      (step) =>
        retention.pruneNotifications({ ...step, unread: false });
    const pruneUnread =
      ({ retention }: Store): Prune =>
      (step) =>
        retention.pruneNotifications({ ...step, unread: true });

    async function readNotifications(store: Store, accountId: string) {
      return await store.notifications.listNotifications(accountId, {}, { after: null, limit: 10 });
    }

    const find = (store: Store, accountId: string, { id }: LeasedDelivery) =>
      store.deliveryLog.findDelivery(accountId, id);

    test('a delivery that finished before the cutoff is removed with its attempts, and one that finished at it stays', async () => {
      const { store, accountId, delivery } = await openLeased();
      await store.deliveries.recordAttempts([aResult(delivery)], noon + day);
      const prune: Prune = (step) => store.retention.pruneDeliveries(step);
      expect(await pruneAll(prune, noon + day)).toBe(0);
      expect(await find(store, accountId, delivery)).toMatchObject({ attempts: [{ number: 1 }] });
      expect(await pruneAll(prune, noon + day + 1)).toBe(1);
      expect(await find(store, accountId, delivery)).toBeNull();
      expect(await pruneAll(prune, noon + day + 1)).toBe(0);
    });

    test('a failed delivery is removed like a delivered one', async () => {
      const { store, accountId, delivery } = await openLeased();
      const failed = aResult(delivery, { number: 0, attempt: null, state: 'failed' });
      await store.deliveries.recordAttempts([failed], noon + day);
      expect(await pruneAll((step) => store.retention.pruneDeliveries(step), noon + 2 * day)).toBe(
        1,
      );
      expect(await find(store, accountId, delivery)).toBeNull();
    });

    test('a pending delivery stays, however old, and can still be leased', async () => {
      const { store, delivery } = await openLeased();
      const prune: Prune = (step) => store.retention.pruneDeliveries(step);
      expect(await pruneAll(prune, noon + 100 * day)).toBe(0);
      await store.deliveries.recordAttempts([failedResult(delivery, noon + 5_000)], noon);
      expect(await pruneAll(prune, noon + 100 * day)).toBe(0);
      expect(await leaseOne(store, noon + 5_000)).toMatchObject({
        id: delivery.id,
        attemptCount: 1,
      });
    });

    test('an old delivery that was replayed stays until it has been finished for long enough again', async () => {
      const { store, accountId, delivery } = await openLeased();
      await store.deliveries.recordAttempts([aResult(delivery)], noon);
      const request = {
        accountId,
        ids: [delivery.id],
        idempotencyKey: null,
        context: aContext(noon + 40 * day),
      };
      await store.deliveryLog.replayDeliveries(request, (found) => ({
        deliveries: found.map((one) => replayDelivery(one, noon + 40 * day)),
        response: { status: 202, headers: {}, body: null },
      }));
      const prune: Prune = (step) => store.retention.pruneDeliveries(step);
      expect(await pruneAll(prune, noon + 50 * day)).toBe(0);
      const again = await leaseOne(store, noon + 40 * day);
      await store.deliveries.recordAttempts([aResult(again)], noon + 41 * day);
      expect(await pruneAll(prune, noon + 41 * day)).toBe(0);
      expect(await pruneAll(prune, noon + 42 * day)).toBe(1);
    });

    test('a scan in steps of any size removes exactly the old deliveries, and never more rows than its limit', async () => {
      const trade = await Trade.open(underTest.current);
      const { store } = trade;
      let base = noon;
      // How often each was attempted, and whether it finished before the cutoff, after it, or not yet.
      const made = fc.record({
        tries: fc.integer({ min: 1, max: 3 }),
        end: fc.constantFrom('before', 'after', 'never'),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(made, { minLength: 1, maxLength: 6 }),
          fc.integer({ min: 1, max: 8 }),
          async (drawn, limit) => {
            base += 10 * day;
            const { accountId } = await addEndpoint(trade);
            const kept: string[] = [];
            for (const { tries, end } of drawn) {
              await enqueueDelivery(trade, { accountId, now: base });
              for (let number = 1; number <= tries; number += 1) {
                const now = base + number;
                const delivery = await leaseOne(store, now);
                const ends = number === tries && end !== 'never';
                const outcome = ends ? aResult(delivery) : failedResult(delivery, now + 1);
                const noted = end === 'after' && ends ? base + 5 * day : now;
                // An unfinished delivery is due again long after the rest.
                const later = { ...outcome, nextAttemptAt: base + 9_000 * day };
                const last = number === tries && end === 'never';
                await store.deliveries.recordAttempts([last ? later : outcome], noted);
                if (number === tries && end !== 'before') kept.push(delivery.id);
              }
            }
            const prune: Prune = async (step) => {
              const pruned = await store.retention.pruneDeliveries(step);
              expect(pruned.removed).toBeLessThanOrEqual(limit);
              return pruned;
            };
            await pruneAll(prune, base + day, { limit });
            const page = { after: null, limit: 100 };
            const left = await store.deliveryLog.listDeliveries(accountId, {}, page);
            expect(left.map(({ id }) => id).sort()).toEqual(kept.sort());
          },
        ),
        { numRuns: 15 },
      );
    });

    test('an event is removed, also from the event logs, once no delivery and no notification refers to it', async () => {
      const { store, accountId, delivery } = await openLeased();
      const { retention, notifications } = store;
      const prune: Prune = (step) => retention.pruneEvents(step);
      const later = noon + 100 * day;
      expect(await pruneAll(prune, later)).toBe(0);

      await store.deliveries.recordAttempts([aResult(delivery)], noon);
      expect(await pruneAll((step) => retention.pruneDeliveries(step), later)).toBe(1);
      expect(await pruneAll(prune, later)).toBe(0);
      expect(await store.events.readEvents(accountId, 0, 10)).toHaveLength(1);

      const page = { after: null, limit: 10 };
      const [notification] = await notifications.listNotifications(accountId, {}, page);
      await notifications.markRead(accountId, notification?.id ?? '');
      expect(await pruneAll(pruneRead(store), later)).toBe(1);
      expect(await pruneAll(prune, noon)).toBe(0);
      expect(await store.events.readEvents(accountId, 0, 10)).toHaveLength(1);
      expect(await pruneAll(prune, noon + 1)).toBe(1);
      expect(await store.events.readEvents(accountId, 0, 10)).toEqual([]);
    });

    test('an event stays as long as a delivery refers to it', async () => {
      const { store, accountId, delivery } = await openLeased();
      const page = { after: null, limit: 10 };
      const [notification] = await store.notifications.listNotifications(accountId, {}, page);
      await store.notifications.markRead(accountId, notification?.id ?? '');
      const later = noon + 100 * day;
      await pruneAll(pruneRead(store), later);
      expect(await pruneAll((step) => store.retention.pruneEvents(step), later)).toBe(0);
      expect(await find(store, accountId, delivery)).toMatchObject({ body: delivery.body });
    });

    test('events after pruned ones are read as before', async () => {
      const { trade, store, accountId, delivery } = await openLeased();
      await enqueueDelivery(trade, { accountId, now: noon + day, count: 2 });
      const before = await store.events.readEvents(accountId, 0, 10);
      await store.deliveries.recordAttempts([aResult(delivery)], noon);
      const page = { after: null, limit: 10 };
      for (const { id } of await store.notifications.listNotifications(accountId, {}, page)) {
        await store.notifications.markRead(accountId, id);
      }
      const { retention } = store;
      for (const prune of [retention.pruneDeliveries, pruneRead(store), retention.pruneEvents]) {
        expect(await pruneAll(prune, noon + 1)).toBe(1);
      }
      expect(await store.events.readEvents(accountId, 0, 10)).toEqual(before.slice(1));
      expect(await store.events.readEvents(accountId, before[1]?.seq ?? 0, 10)).toEqual(
        before.slice(2),
      );
      await enqueueDelivery(trade, { accountId, now: noon + 2 * day });
      const [last] = (await store.events.readEvents(accountId, 0, 10)).slice(-1);
      expect(last?.seq).toBeGreaterThan(before.at(-1)?.seq ?? Number.POSITIVE_INFINITY);
    });

    test('a notification is removed when it is both old and read', async () => {
      const trade = await Trade.open(underTest.current);
      const { store } = trade;
      const { accountId } = await addEndpoint(trade);
      for (const now of [noon, noon, noon + day]) await enqueueDelivery(trade, { accountId, now });
      const page = { after: null, limit: 10 };
      const [young, read, unread] = await store.notifications.listNotifications(
        accountId,
        {},
        page,
      );
      if (!(young && read && unread)) throw new Error('there are three');
      for (const { id } of [young, read]) await store.notifications.markRead(accountId, id);
      for (const limit of [1, 100]) {
        const removed = await pruneAll(pruneRead(store), noon + day, { limit });
        expect(removed).toBe(limit === 1 ? 1 : 0);
      }
      const left = await store.notifications.listNotifications(accountId, {}, page);
      expect(left.map(({ id }) => id)).toEqual([young.id, unread.id]);
    });

    test('unread notifications are removed after their longer retention, read ones with them', async () => {
      const trade = await Trade.open(underTest.current);
      const { store } = trade;
      const { accountId } = await addEndpoint(trade);
      for (const now of [noon, noon, noon + day]) await enqueueDelivery(trade, { accountId, now });
      const [young, read] = await readNotifications(store, accountId);
      await store.notifications.markRead(accountId, read?.id ?? '');
      expect(await pruneAll(pruneUnread(store), noon)).toBe(0);
      expect(await pruneAll(pruneUnread(store), noon + day, { limit: 1 })).toBe(2);
      const left = await readNotifications(store, accountId);
      expect(left.map(({ id }) => id)).toEqual([young?.id]);
    });

    test('an event is removed with its last notification, also from the event logs', async () => {
      const trade = await Trade.open(underTest.current);
      const { store, buyer, seller, agent } = trade;
      const { id: orderId } = await trade.place();
      const eventsBefore = noon + 1;
      const logs = () =>
        Promise.all(
          [buyer, seller, agent].map(
            async ({ accountId }) => (await store.events.readEvents(accountId, 0, 10)).length,
          ),
        );
      const [created = 0, ...others] = await logs();
      const prune = pruneRead(store);
      expect(created).toBeGreaterThan(0);
      for (const { accountId } of [buyer, seller]) {
        for (const { id } of await readNotifications(store, accountId)) {
          await store.notifications.markRead(accountId, id);
        }
      }
      expect(await pruneAll(prune, noon + 1, { eventsBefore })).toBeGreaterThan(0);
      // The agent has not read its notification.
      expect(await logs()).toEqual([created, ...others]);
      const unread = await readNotifications(store, agent.accountId);
      expect(unread[0]).toMatchObject({ orderId });
      expect(await pruneAll(pruneUnread(store), noon + 1, { eventsBefore })).toBe(unread.length);
      expect(await logs()).toEqual([0, 0, 0]);
    });

    test('an event is removed with its last delivery', async () => {
      const { store, accountId, delivery } = await openLeased();
      await store.deliveries.recordAttempts([aResult(delivery)], noon);
      const eventsBefore = noon + 1;
      expect(await pruneAll(pruneUnread(store), noon + 1, { eventsBefore })).toBe(1);
      expect(await store.events.readEvents(accountId, 0, 10)).toHaveLength(1);
      const prune: Prune = (step) => store.retention.pruneDeliveries(step);
      expect(await pruneAll(prune, noon + 1, { eventsBefore })).toBe(1);
      expect(await store.events.readEvents(accountId, 0, 10)).toEqual([]);
    });

    test('an event that is not old when its last reference is removed stays until it is', async () => {
      const { store, accountId, delivery } = await openLeased();
      await store.deliveries.recordAttempts([aResult(delivery)], noon);
      const eventsBefore = noon;
      const prune: Prune = (step) => store.retention.pruneDeliveries(step);
      expect(await pruneAll(prune, noon + 1, { eventsBefore })).toBe(1);
      expect(await pruneAll(pruneUnread(store), noon + 1, { eventsBefore })).toBe(1);
      expect(await store.events.readEvents(accountId, 0, 10)).toHaveLength(1);
      expect(await pruneAll((step) => store.retention.pruneEvents(step), noon + 1)).toBe(1);
      expect(await store.events.readEvents(accountId, 0, 10)).toEqual([]);
    });

    test('a scan continues where it ended, and finds rows that have become old since', async () => {
      const trade = await Trade.open(underTest.current);
      const { store } = trade;
      const { accountId } = await addEndpoint(trade);
      for (const now of [noon, noon + day]) await enqueueDelivery(trade, { accountId, now });
      const about = { eventsBefore: 0, limit: 10, unread: true };
      const { pruneNotifications } = store.retention;
      const first = await pruneNotifications({ ...about, after: null, before: noon + 1 });
      expect(first).toMatchObject({ removed: 1, done: true });
      const again = await pruneNotifications({ ...about, after: first.next, before: noon + 1 });
      expect(again).toMatchObject({ removed: 0, done: true, next: first.next });
      const later = await pruneNotifications({
        ...about,
        after: again.next,
        before: noon + day + 1,
      });
      expect(later).toMatchObject({ removed: 1, done: true });
    });

    test('a scan for notifications skips what is older than its start', async () => {
      const trade = await Trade.open(underTest.current);
      const { retention } = trade.store;
      const { accountId } = await addEndpoint(trade);
      for (const now of [noon, noon + day]) await enqueueDelivery(trade, { accountId, now });
      const prune =
        (since: number): Prune =>
        (step) =>
          retention.pruneNotifications({ ...step, unread: true, since });
      expect(await pruneAll(prune(noon + day + 1), noon + 2 * day)).toBe(0);
      expect(await pruneAll(prune(noon + 1), noon + 2 * day)).toBe(1);
      expect(await pruneAll(prune(noon), noon + 2 * day)).toBe(1);
    });

    test('idempotency keys are removed in batches once they have expired, and others stay valid', async () => {
      const trade = await Trade.open(underTest.current);
      const { retention } = trade.store;
      const storeKey = (key: string, expiresAt: number) =>
        anIdempotencyKey({ accountId: trade.buyer.accountId, key, expiresAt });
      for (const key of ['one', 'two', 'three']) {
        await trade.place({ idempotencyKey: storeKey(key, noon + 1_000) });
      }
      const lasting = storeKey('four', noon + 1_001);
      const order = await trade.place({ idempotencyKey: lasting });
      const prune = async (now: number, limit: number) =>
        (await retention.pruneIdempotencyKeys({ now, limit })).removed;
      expect(await prune(noon + 999, 10)).toBe(0);
      const removed: number[] = [];
      for (let step = 0; step < 3; step += 1) removed.push(await prune(noon + 1_000, 2));
      expect(removed).toEqual([2, 1, 0]);
      expect(await trade.place({ idempotencyKey: lasting, now: noon + 1_000 })).toEqual(order);
    });

    test('the rows of a deleted webhook are removed in steps, whatever their state, and none of another', async () => {
      const { trade, store, webhookId, accountId, delivery } = await openLeased();
      const other = await addEndpoint(trade);
      await enqueueDelivery(trade, { accountId: other.accountId, count: 2 });
      await store.deliveries.recordAttempts([failedResult(delivery, noon + 9 * day)], noon);
      await enqueueDelivery(trade, { accountId, count: 5, now: noon + 1 });
      const all = await leaseDue(store, noon + 1);
      const [done, leased] = all.filter((one) => one.webhookId === webhookId);
      if (!(done && leased)) throw new Error('several were leased');
      await store.deliveries.recordAttempts([aResult(done)], noon + 1);
      const { depth } = await store.deliveries.queueStatus(noon + 1);

      const prune = async () => (await store.retention.pruneRemovedWebhooks({ limit: 2 })).removed;
      expect(await prune()).toBe(0);
      await store.webhooks.deleteWebhook(accountId, webhookId, noon + 2);
      const removed: number[] = [];
      for (let step = 0, count = 1; count > 0 && step < 20; step += 1) {
        count = await prune();
        removed.push(count);
      }
      // Six deliveries, their minute and their hour in the statistics, and the webhook itself.
      expect(removed.reduce((sum, count) => sum + count, 0)).toBe(9);
      expect(Math.max(...removed)).toBe(2);

      await store.deliveries.recordAttempts([aResult(leased)], noon + 3);
      expect(await store.deliveries.queueStatus(noon + 3)).toMatchObject({ depth: depth - 5 });
      const left = all.filter((one) => one.webhookId === other.id);
      await store.deliveries.recordAttempts(
        left.map((one) => aResult(one, { attempt: anAttempt() })),
        noon + 3,
      );
      expect(await store.deliveries.queueStatus(noon + 3)).toMatchObject({ depth: 0, inFlight: 0 });
    });

    test('a lease that outlived its worker is not subtracted twice with its deleted webhook', async () => {
      const { store, webhookId, accountId } = await openLeased();
      await enqueueDelivery(await Trade.open(store), { accountId, count: 3, now: noon + 1 });
      await store.deliveries.resetStaleLeases(noon + 1);
      await store.webhooks.deleteWebhook(accountId, webhookId, noon + 2);
      for (let step = 0; step < 2; step += 1) {
        await store.retention.pruneRemovedWebhooks({ limit: 2 });
        const { inFlight } = await store.deliveries.queueStatus(noon + 2);
        expect(inFlight).toBe(0);
      }
    });

    test('a webhook that was not deleted keeps its deliveries', async () => {
      const { store, accountId, delivery } = await openLeased();
      await store.deliveries.recordAttempts([aResult(delivery)], noon);
      expect((await store.retention.pruneRemovedWebhooks({ limit: 100 })).removed).toBe(0);
      expect(await find(store, accountId, delivery)).not.toBeNull();
    });
  });
}
