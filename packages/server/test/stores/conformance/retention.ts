import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ClaimedDelivery } from '../../../src/deliveries/delivery';
import { replay } from '../../../src/deliveries/logged-delivery';
import type { Pruned, PruneStep } from '../../../src/retention/retention-store';
import type { Store } from '../../../src/store';
import { aClaim, aMoment, anAttempt, noon } from '../../builders';
import { claim, claimOne, failedUntil, outcomeOf } from '../claiming';
import { addEndpoint, queueUp } from '../queue-up';
import { Trade } from '../trade';
import type { StoreUnderTest } from './store-under-test';

const day = 24 * 60 * 60 * 1000;

type Prune = (step: PruneStep) => Promise<Pruned>;

/** Walks to the end, and tells how many things were removed in all. */
async function pruneAll(prune: Prune, before: number, limit = 100): Promise<number> {
  let total = 0;
  let after: string | null = null;
  do {
    const { removed, next }: Pruned = await prune({ after, before, limit });
    total += removed;
    after = next;
  } while (after !== null);
  return total;
}

/** Pruning what has been kept for long enough. */
export function describeRetention(underTest: StoreUnderTest): void {
  describe('retention', () => {
    /** An endpoint with one delivery, which is claimed. */
    async function openClaimed(now = noon) {
      const trade = await Trade.open(underTest.current);
      const { id: webhookId, accountId } = await addEndpoint(trade);
      await queueUp(trade, { accountId, now });
      const delivery = await claimOne(trade.store, now);
      return { trade, store: trade.store, webhookId, accountId, delivery };
    }

    const find = (store: Store, accountId: string, { id }: ClaimedDelivery) =>
      store.deliveryLog.findDelivery(accountId, id);

    test('a delivery that ended before the moment goes with its attempts, and one that ended in it stays', async () => {
      const { store, accountId, delivery } = await openClaimed();
      await store.deliveries.recordAttempts([outcomeOf(delivery)], noon + day);
      const prune: Prune = (step) => store.retention.pruneDeliveries(step);
      expect(await pruneAll(prune, noon + day)).toBe(0);
      expect(await find(store, accountId, delivery)).toMatchObject({ log: [{ number: 1 }] });
      expect(await pruneAll(prune, noon + day + 1)).toBe(1);
      expect(await find(store, accountId, delivery)).toBeNull();
      expect(await pruneAll(prune, noon + day + 1)).toBe(0);
    });

    test('a delivery that failed goes as one that was delivered does', async () => {
      const { store, accountId, delivery } = await openClaimed();
      const failed = outcomeOf(delivery, { number: 0, attempt: null, state: 'failed' });
      await store.deliveries.recordAttempts([failed], noon + day);
      expect(await pruneAll((step) => store.retention.pruneDeliveries(step), noon + 2 * day)).toBe(
        1,
      );
      expect(await find(store, accountId, delivery)).toBeNull();
    });

    test('a delivery that is pending stays, however old, and can still be claimed', async () => {
      const { store, delivery } = await openClaimed();
      const prune: Prune = (step) => store.retention.pruneDeliveries(step);
      expect(await pruneAll(prune, noon + 100 * day)).toBe(0);
      await store.deliveries.recordAttempts([failedUntil(delivery, noon + 5_000)], noon);
      expect(await pruneAll(prune, noon + 100 * day)).toBe(0);
      expect(await claimOne(store, noon + 5_000)).toMatchObject({ id: delivery.id, attempts: 1 });
    });

    test('an old delivery that was replayed stays until it has ended anew for long enough', async () => {
      const { store, accountId, delivery } = await openClaimed();
      await store.deliveries.recordAttempts([outcomeOf(delivery)], noon);
      const asked = { accountId, id: delivery.id, claim: null, moment: aMoment(noon + 40 * day) };
      await store.deliveryLog.replayDelivery(asked, (found) => {
        if (found === null) throw new Error('it is there');
        return {
          delivery: replay(found, noon + 40 * day),
          answer: { status: 202, headers: {}, body: null },
        };
      });
      const prune: Prune = (step) => store.retention.pruneDeliveries(step);
      expect(await pruneAll(prune, noon + 50 * day)).toBe(0);
      const again = await claimOne(store, noon + 40 * day);
      await store.deliveries.recordAttempts([outcomeOf(again)], noon + 41 * day);
      expect(await pruneAll(prune, noon + 41 * day)).toBe(0);
      expect(await pruneAll(prune, noon + 42 * day)).toBe(1);
    });

    test('a walk in steps of any size removes exactly what is to go, and never more than its limit with their attempts', async () => {
      const trade = await Trade.open(underTest.current);
      const { store } = trade;
      let base = noon;
      // How often each was tried, and whether it ended before the moment, after it, or not yet.
      const made = fc.record({
        tries: fc.integer({ min: 1, max: 3 }),
        end: fc.constantFrom('before', 'after', 'never'),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(made, { minLength: 1, maxLength: 6 }),
          fc.integer({ min: 1, max: 8 }),
          async (wanted, limit) => {
            base += 10 * day;
            const { accountId } = await addEndpoint(trade);
            const kept: string[] = [];
            for (const { tries, end } of wanted) {
              await queueUp(trade, { accountId, now: base });
              for (let number = 1; number <= tries; number += 1) {
                const now = base + number;
                const delivery = await claimOne(store, now);
                const ends = number === tries && end !== 'never';
                const outcome = ends ? outcomeOf(delivery) : failedUntil(delivery, now + 1);
                const noted = end === 'after' && ends ? base + 5 * day : now;
                // What is not to end is due again far behind all that follows.
                const later = { ...outcome, nextAttemptAt: base + 9_000 * day };
                const last = number === tries && end === 'never';
                await store.deliveries.recordAttempts([last ? later : outcome], noted);
                if (number === tries && end !== 'before') kept.push(delivery.id);
              }
            }
            let after: string | null = null;
            do {
              const step: PruneStep = { after, before: base + day, limit };
              const { removed, next }: Pruned = await store.retention.pruneDeliveries(step);
              expect(removed).toBeLessThanOrEqual(limit);
              after = next;
            } while (after !== null);
            const page = { after: null, limit: 100 };
            const left = await store.deliveryLog.listDeliveries(accountId, {}, page);
            expect(left.map(({ id }) => id).sort()).toEqual(kept.sort());
          },
        ),
        { numRuns: 15 },
      );
    });

    test('an event goes once no delivery and no notification is about it, out of the log of its accounts', async () => {
      const { store, accountId, delivery } = await openClaimed();
      const { retention, notifications } = store;
      const prune: Prune = (step) => retention.pruneEvents(step);
      const later = noon + 100 * day;
      expect(await pruneAll(prune, later)).toBe(0);

      await store.deliveries.recordAttempts([outcomeOf(delivery)], noon);
      expect(await pruneAll((step) => retention.pruneDeliveries(step), later)).toBe(1);
      expect(await pruneAll(prune, later)).toBe(0);
      expect(await store.events.readEvents(accountId, 0, 10)).toHaveLength(1);

      const page = { after: null, limit: 10 };
      const [told] = await notifications.listNotifications(accountId, {}, page);
      await notifications.markRead(accountId, told?.id ?? '');
      expect(await pruneAll((step) => retention.pruneNotifications(step), later)).toBe(1);
      expect(await pruneAll(prune, noon)).toBe(0);
      expect(await store.events.readEvents(accountId, 0, 10)).toHaveLength(1);
      expect(await pruneAll(prune, noon + 1)).toBe(1);
      expect(await store.events.readEvents(accountId, 0, 10)).toEqual([]);
    });

    test('an event that only a delivery is about stays as long as that does', async () => {
      const { store, accountId, delivery } = await openClaimed();
      const page = { after: null, limit: 10 };
      const [told] = await store.notifications.listNotifications(accountId, {}, page);
      await store.notifications.markRead(accountId, told?.id ?? '');
      const later = noon + 100 * day;
      await pruneAll((step) => store.retention.pruneNotifications(step), later);
      expect(await pruneAll((step) => store.retention.pruneEvents(step), later)).toBe(0);
      expect(await find(store, accountId, delivery)).toMatchObject({ body: delivery.body });
    });

    test('what comes after events that were pruned is read as before', async () => {
      const { trade, store, accountId, delivery } = await openClaimed();
      await queueUp(trade, { accountId, now: noon + day, count: 2 });
      const before = await store.events.readEvents(accountId, 0, 10);
      await store.deliveries.recordAttempts([outcomeOf(delivery)], noon);
      const page = { after: null, limit: 10 };
      for (const { id } of await store.notifications.listNotifications(accountId, {}, page)) {
        await store.notifications.markRead(accountId, id);
      }
      const { retention } = store;
      for (const prune of [
        retention.pruneDeliveries,
        retention.pruneNotifications,
        retention.pruneEvents,
      ]) {
        expect(await pruneAll(prune, noon + 1)).toBe(1);
      }
      expect(await store.events.readEvents(accountId, 0, 10)).toEqual(before.slice(1));
      expect(await store.events.readEvents(accountId, before[1]?.seq ?? 0, 10)).toEqual(
        before.slice(2),
      );
      await queueUp(trade, { accountId, now: noon + 2 * day });
      const [last] = (await store.events.readEvents(accountId, 0, 10)).slice(-1);
      expect(last?.seq).toBeGreaterThan(before.at(-1)?.seq ?? Number.POSITIVE_INFINITY);
    });

    test('a notification goes when it is old and was read, and not when only one of these is so', async () => {
      const trade = await Trade.open(underTest.current);
      const { store } = trade;
      const { accountId } = await addEndpoint(trade);
      for (const now of [noon, noon, noon + day]) await queueUp(trade, { accountId, now });
      const page = { after: null, limit: 10 };
      const [young, read, unread] = await store.notifications.listNotifications(
        accountId,
        {},
        page,
      );
      if (!(young && read && unread)) throw new Error('there are three');
      for (const { id } of [young, read]) await store.notifications.markRead(accountId, id);
      for (const limit of [1, 100]) {
        const removed = await pruneAll(
          (step) => store.retention.pruneNotifications(step),
          noon + day,
          limit,
        );
        expect(removed).toBe(limit === 1 ? 1 : 0);
      }
      const left = await store.notifications.listNotifications(accountId, {}, page);
      expect(left.map(({ id }) => id)).toEqual([young.id, unread.id]);
    });

    test('idempotency keys go once they have expired, in batches, and others are still good', async () => {
      const trade = await Trade.open(underTest.current);
      const { retention } = trade.store;
      const claimFor = (key: string, expiresAt: number) =>
        aClaim({ accountId: trade.buyer.accountId, key, expiresAt });
      for (const key of ['one', 'two', 'three']) {
        await trade.place({ claim: claimFor(key, noon + 1_000) });
      }
      const lasting = claimFor('four', noon + 1_001);
      const order = await trade.place({ claim: lasting });
      expect(await retention.pruneIdempotencyKeys({ now: noon + 999, limit: 10 })).toBe(0);
      const removed: number[] = [];
      for (let step = 0; step < 3; step += 1) {
        removed.push(await retention.pruneIdempotencyKeys({ now: noon + 1_000, limit: 2 }));
      }
      expect(removed).toEqual([2, 1, 0]);
      expect(await trade.place({ claim: lasting, now: noon + 1_000 })).toEqual(order);
    });

    test('what is left of a removed webhook goes in steps, whatever its state, and nothing of another', async () => {
      const { trade, store, webhookId, accountId, delivery } = await openClaimed();
      const other = await addEndpoint(trade);
      await queueUp(trade, { accountId: other.accountId, count: 2 });
      await store.deliveries.recordAttempts([failedUntil(delivery, noon + 9 * day)], noon);
      await queueUp(trade, { accountId, count: 5, now: noon + 1 });
      const claimed = await claim(store, noon + 1);
      const [done, leased] = claimed.filter((one) => one.webhookId === webhookId);
      if (!(done && leased)) throw new Error('several were claimed');
      await store.deliveries.recordAttempts([outcomeOf(done)], noon + 1);
      const { depth } = await store.deliveries.queueStatus(noon + 1);

      expect(await store.retention.pruneRemovedWebhooks({ limit: 2 })).toBe(0);
      await store.webhooks.removeWebhook(accountId, webhookId, noon + 2);
      const removed: number[] = [];
      for (let step = 0, count = 1; count > 0 && step < 20; step += 1) {
        count = await store.retention.pruneRemovedWebhooks({ limit: 2 });
        removed.push(count);
      }
      // Six deliveries and the webhook itself.
      expect(removed.reduce((sum, count) => sum + count, 0)).toBe(7);
      expect(Math.max(...removed)).toBe(2);

      await store.deliveries.recordAttempts([outcomeOf(leased)], noon + 3);
      expect(await store.deliveries.queueStatus(noon + 3)).toMatchObject({ depth: depth - 5 });
      const left = claimed.filter((one) => one.webhookId === other.id);
      await store.deliveries.recordAttempts(
        left.map((one) => outcomeOf(one, { attempt: anAttempt() })),
        noon + 3,
      );
      expect(await store.deliveries.queueStatus(noon + 3)).toMatchObject({ depth: 0, inFlight: 0 });
    });

    test('a claim that outlived its worker is not taken off twice with its removed webhook', async () => {
      const { store, webhookId, accountId } = await openClaimed();
      await queueUp(await Trade.open(store), { accountId, count: 3, now: noon + 1 });
      await store.deliveries.beginAnew(noon + 1);
      await store.webhooks.removeWebhook(accountId, webhookId, noon + 2);
      for (let step = 0; step < 2; step += 1) {
        await store.retention.pruneRemovedWebhooks({ limit: 2 });
        const { inFlight } = await store.deliveries.queueStatus(noon + 2);
        expect(inFlight).toBe(0);
      }
    });

    test('a webhook that was not removed keeps its deliveries', async () => {
      const { store, accountId, delivery } = await openClaimed();
      await store.deliveries.recordAttempts([outcomeOf(delivery)], noon);
      expect(await store.retention.pruneRemovedWebhooks({ limit: 100 })).toBe(0);
      expect(await find(store, accountId, delivery)).not.toBeNull();
    });
  });
}
