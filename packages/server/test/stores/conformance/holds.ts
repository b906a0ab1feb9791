import { describe, expect, test } from 'vitest';
import type { ClaimedDelivery, Outcome } from '../../../src/deliveries/delivery';
import type { Store } from '../../../src/store';
import type { Webhook } from '../../../src/webhooks/webhook';
import { anAttempt, noon } from '../../builders';
import { claim, claimOne, delivered, outcomeOf, refused } from '../claiming';
import { addEndpoint, queueUp } from '../queue-up';
import { Trade } from '../trade';
import type { StoreUnderTest } from './store-under-test';

const second = 1_000;
const year = 365 * 24 * 3_600 * second;

/** Endpoints that keep failing or ask for time: tried ever more rarely, never given up, at nobody else's cost. */
export function describeHolds(underTest: StoreUnderTest): void {
  describe('holds on endpoints that keep failing', () => {
    /** An endpoint that failed in five rounds, the last of which ended 10 ms after `now`. */
    async function failing(
      now = noon,
      count = 20,
    ): Promise<{ trade: Trade; store: Store; webhook: Webhook }> {
      const trade = await Trade.open(underTest.current);
      const webhook = await addEndpoint(trade);
      const start = now - 4 * second;
      await queueUp(trade, { accountId: webhook.accountId, count, now: start });
      for (let at = start; at <= now; at += second) {
        const claimed = await claim(trade.store, at);
        expect(claimed.length).toBeGreaterThan(0);
        await trade.store.deliveries.recordAttempts(
          claimed.map((one) => refused(one, at)),
          at + 10,
        );
      }
      return { trade, store: trade.store, webhook };
    }

    test('after five rounds of failure nothing is claimed until the hold ends, and then one', async () => {
      const { store } = await failing();
      const end = noon + 10 + 5 * second;
      expect(await store.deliveries.nextDueAt()).toBe(end);
      expect(await claim(store, end - 1)).toEqual([]);
      expect(await claim(store, end)).toHaveLength(1);
      expect(await claim(store, end)).toEqual([]);
    });

    test('an endpoint that goes on failing is tried ever more rarely, one delivery at a time', async () => {
      const { store } = await failing();
      const pauses: number[] = [];
      for (let count = 0; count < 7; count += 1) {
        const due = (await store.deliveries.nextDueAt()) ?? 0;
        const one = await claimOne(store, due);
        await store.deliveries.recordAttempts([refused(one, due)], due + 10);
        pauses.push(((await store.deliveries.nextDueAt()) ?? 0) - due - 10);
      }
      expect(pauses.map((pause) => pause / second)).toEqual([15, 45, 135, 300, 300, 300, 300]);
    });

    test('the deliveries of a held endpoint take turns: each is tried, none again and again', async () => {
      const { store } = await failing(noon, 7);
      const tried: string[] = [];
      for (let count = 0; count < 14; count += 1) {
        const due = (await store.deliveries.nextDueAt()) ?? 0;
        const one = await claimOne(store, due);
        tried.push(one.id);
        await store.deliveries.recordAttempts([refused(one, due)], due + 10);
      }
      expect(new Set(tried.slice(0, 7)).size).toBe(7);
      expect(tried.slice(7)).toEqual(tried.slice(0, 7));
    });

    test('one success ends it: more is claimed at once', async () => {
      const { store } = await failing();
      const end = noon + 10 + 5 * second;
      const one = await claimOne(store, end);
      await store.deliveries.recordAttempts([delivered(one, end)], end + 10);
      const next = await claim(store, end + 10);
      expect(next).toHaveLength(2);
      await store.deliveries.recordAttempts(
        next.map((delivery) => delivered(delivery, end + 10)),
        end + 20,
      );
      expect(await claim(store, end + 20)).toHaveLength(4);
    });

    test('an attempt that takes its time is waited for, and its failure after the others is no news', async () => {
      const trade = await Trade.open(underTest.current);
      const { accountId } = await addEndpoint(trade);
      await queueUp(trade, { accountId, count: 20 });
      const { store } = trade;
      const [slow, ...others] = await claim(store, noon);
      if (slow === undefined) throw new Error('four are due');
      await store.deliveries.recordAttempts(
        others.map((one) => refused(one, noon)),
        noon + 10,
      );
      const next = await claimOne(store, noon + second);
      await store.deliveries.recordAttempts([refused(next, noon + second)], noon + second + 10);
      expect(await claim(store, noon + 2 * second)).toEqual([]);
      const attempt = anAttempt({ startedAt: noon, duration: 15 * second, error: 'timeout' });
      const end = noon + 15 * second;
      const broken = outcomeOf(slow, { attempt: { ...attempt, status: null } });
      const again = { ...broken, state: 'pending', nextAttemptAt: end + 5 * second } as const;
      await store.deliveries.recordAttempts([again], end);
      expect(await claim(store, end)).toHaveLength(1);
    });

    test('what is queued during a hold waits for its end like the rest', async () => {
      const { trade, store, webhook } = await failing();
      await queueUp(trade, { accountId: webhook.accountId, now: noon + 100 });
      expect(await store.deliveries.nextDueAt()).toBe(noon + 10 + 5 * second);
      expect(await claim(store, noon + 200)).toEqual([]);
    });

    test('it holds nobody else', async () => {
      const { trade, store } = await failing();
      const other = await addEndpoint(trade);
      await queueUp(trade, { accountId: other.accountId, now: noon + 100, count: 3 });
      expect(await store.deliveries.nextDueAt()).toBe(noon + 100);
      const claimed = await claim(store, noon + 100);
      expect(claimed.map(({ webhookId }) => webhookId)).toEqual([other.id, other.id, other.id]);
    });

    test('it survives a restart', async () => {
      await failing();
      const store = await underTest.reopen();
      expect(await store.deliveries.nextDueAt()).toBe(noon + 10 + 5 * second);
      expect(await claim(store, noon + 5 * second)).toEqual([]);
    });

    /** A refusal with 503, 10 ms after it was claimed, whose receiver asks for this much time. */
    function askedToWait(
      delivery: ClaimedDelivery,
      claimedAt: number,
      retryAfter: number,
    ): Outcome {
      const attempt = anAttempt({ startedAt: claimedAt, duration: 10, status: 503, retryAfter });
      return outcomeOf(delivery, { attempt, state: 'pending', nextAttemptAt: claimedAt + 10 });
    }

    test('a receiver that asks for time has it from all its deliveries, and nobody else from theirs', async () => {
      const trade = await Trade.open(underTest.current);
      const { accountId } = await addEndpoint(trade);
      await queueUp(trade, { accountId, count: 20 });
      const { store } = trade;
      const [first, ...others] = await claim(store, noon);
      if (first === undefined) throw new Error('four are due');
      await store.deliveries.recordAttempts([askedToWait(first, noon, 60 * second)], noon + 10);
      const end = noon + 10 + 60 * second;
      // They were under way when it asked: that they were taken says nothing of now.
      await store.deliveries.recordAttempts(
        others.map((one) => delivered(one, noon + 5)),
        noon + 15,
      );
      expect(await store.deliveries.nextDueAt()).toBe(end);
      expect(await claim(store, end - 1)).toEqual([]);
      const other = await addEndpoint(trade);
      await queueUp(trade, { accountId: other.accountId, now: noon + 20 });
      expect(await claimOne(store, noon + 20)).toMatchObject({ webhookId: other.id });
      expect((await claim(store, end)).length).toBeGreaterThan(1);
    });

    test('a receiver that asks for hours has five minutes, and asks again', async () => {
      const trade = await Trade.open(underTest.current);
      const { accountId } = await addEndpoint(trade);
      await queueUp(trade, { accountId });
      const { store } = trade;
      let now = noon;
      for (let count = 0; count < 3; count += 1) {
        const one = await claimOne(store, now);
        await store.deliveries.recordAttempts([askedToWait(one, now, 86_400 * second)], now + 10);
        now += 10 + 300 * second;
        expect(await store.deliveries.nextDueAt()).toBe(now);
      }
      const one = await claimOne(store, now);
      await store.deliveries.recordAttempts([delivered(one, now)], now + 10);
      await queueUp(trade, { accountId, now: now + 20 });
      expect(await claim(store, now + 20)).toHaveLength(1);
    });

    test('it never lasts longer than five minutes, however far the clock was set back', async () => {
      const { trade, store, webhook } = await failing(noon + year);
      await queueUp(trade, { accountId: webhook.accountId, now: noon });
      const due = (await store.deliveries.nextDueAt()) ?? 0;
      expect(due).toBe(noon + 300 * second);
      expect(await claim(store, due - 1)).toEqual([]);
      expect(await claimOne(store, due)).toMatchObject({ createdAt: noon });
    });
  });
}
