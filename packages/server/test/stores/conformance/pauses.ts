import { describe, expect, test } from 'vitest';
import { noon } from '../../builders';
import { changeWebhook } from '../ask-webhooks';
import { claim, claimOne, failedUntil, refused } from '../claiming';
import { queueUp } from '../queue-up';
import { Trade } from '../trade';
import type { StoreUnderTest } from './store-under-test';

/** Queues of webhooks that are paused and resumed, and endpoints that somebody mended. */
export function describePauses(underTest: StoreUnderTest): void {
  describe('webhooks that are paused or mended', () => {
    async function open() {
      const trade = await Trade.open(underTest.current);
      const { store, buyer } = trade;
      const webhook = await trade.subscribe(buyer, ['order.created']);
      const find = () => store.webhooks.findWebhook(buyer.accountId, webhook.id);
      return { trade, store, webhook, find };
    }

    test('what waits and what is new waits, and all of it is due once it is resumed', async () => {
      const { trade, store, webhook, find } = await open();
      await trade.place();
      await changeWebhook(store, webhook, { status: 'paused' });
      await trade.place({ now: noon + 1 });
      expect(await find()).toMatchObject({ status: 'paused', traffic: { pending: 2 } });
      expect(await store.deliveries.nextDueAt()).toBeNull();
      expect(await claim(store, noon + 1_000)).toEqual([]);
      let heard = 0;
      store.onDeliveriesQueued(() => {
        heard += 1;
      });
      await changeWebhook(store, webhook, { status: 'active' }, { now: noon + 1_000 });
      expect(heard).toBe(1);
      expect(await store.deliveries.nextDueAt()).toBeLessThanOrEqual(noon + 1_000);
      expect(await claim(store, noon + 1_000)).toHaveLength(2);
    });

    test('the outcome of an attempt that was under way is recorded, and what is to be tried again waits', async () => {
      const { trade, store, webhook, find } = await open();
      await trade.place();
      const delivery = await claimOne(store, noon);
      await changeWebhook(store, webhook, { status: 'paused' });
      await store.deliveries.recordAttempts([failedUntil(delivery, noon + 5_000)], noon + 20);
      expect(await find()).toMatchObject({ traffic: { pending: 1, failures: 1 } });
      expect(await claim(store, noon + 60_000)).toEqual([]);
      await changeWebhook(store, webhook, { status: 'active' }, { now: noon + 60_000 });
      expect(await claimOne(store, noon + 60_000)).toMatchObject({ attempts: 1 });
    });

    /** Lets the endpoint of an open trade fail until it is held, with one delivery that waits. */
    async function openHeld() {
      const opened = await open();
      const { trade, store, webhook } = opened;
      await queueUp(trade, { accountId: webhook.accountId });
      for (let round = 0; round < 5; round += 1) {
        const now = noon + round * 1_000;
        const delivery = await claimOne(store, now);
        await store.deliveries.recordAttempts([refused(delivery, now)], now + 10);
      }
      const now = noon + 4_020;
      expect(await claim(store, now)).toEqual([]);
      const { traffic } = (await opened.find()) ?? {};
      expect(traffic).toEqual({ pending: 1, failures: 5, heldUntil: noon + 9_010 });
      return { ...opened, now };
    }

    test('a new address lifts what holds the endpoint, which still has to prove itself', async () => {
      const { store, webhook, find, now } = await openHeld();
      const url = 'https://mended.example/';
      await changeWebhook(store, webhook, { url }, { now });
      expect(await find()).toMatchObject({ traffic: { failures: 5, heldUntil: 0 } });
      expect(await claimOne(store, now)).toMatchObject({ url });
    });

    test('a resumption lifts it too, a pause does not', async () => {
      const { store, webhook, find, now } = await openHeld();
      await changeWebhook(store, webhook, { status: 'paused' }, { now });
      expect(await find()).toMatchObject({ traffic: { heldUntil: noon + 9_010 } });
      await changeWebhook(store, webhook, { status: 'active' }, { now });
      expect(await find()).toMatchObject({ traffic: { heldUntil: 0 } });
      expect(await claim(store, now)).toHaveLength(1);
    });

    test('any other change leaves it as it is', async () => {
      const { store, webhook, find, now } = await openHeld();
      const change = {
        events: ['task.completed' as const],
        stagedSecret: 'whsec_b',
        updatedAt: now,
      };
      await changeWebhook(store, webhook, change, { now });
      expect(await find()).toMatchObject({ traffic: { failures: 5, heldUntil: noon + 9_010 } });
      expect(await claim(store, now)).toEqual([]);
    });
  });
}
