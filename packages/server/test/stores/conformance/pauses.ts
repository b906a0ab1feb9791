import { aContext, noon } from '@tradepost/domain/test/builders';
import { auditWebhook } from '@tradepost/domain/webhooks/webhook-audit';
import { describe, expect, test } from 'vitest';
import { enqueueDelivery } from '../../helpers/enqueue';
import { failedResult, leaseDue, leaseOne, rejectedResult } from '../../helpers/leasing';
import { Trade } from '../../helpers/trade';
import { changeWebhook } from '../change-webhook';
import type { StoreUnderTest } from './store-under-test';

/** Queues of webhooks that are paused and resumed, and endpoints that are repaired. */
export function describePauses(underTest: StoreUnderTest): void {
  describe('when webhooks are paused or repaired', () => {
    async function open() {
      const trade = await Trade.open(underTest.current);
      const { store, buyer } = trade;
      const webhook = await trade.subscribe(buyer, ['order.created']);
      const find = () => store.webhooks.findWebhook(buyer.accountId, webhook.id);
      return { trade, store, webhook, find };
    }

    test('pending and new deliveries wait, and all are due once the webhook is resumed', async () => {
      const { trade, store, webhook, find } = await open();
      await trade.place();
      await changeWebhook(store, webhook, { status: 'paused' });
      await trade.place({ now: noon + 1 });
      expect(await find()).toMatchObject({ status: 'paused', health: { pending: 2 } });
      expect(await store.deliveries.nextDueAt()).toBeNull();
      expect(await leaseDue(store, noon + 1_000)).toEqual([]);
      let heard = 0;
      store.onDeliveriesQueued(() => {
        heard += 1;
      });
      await changeWebhook(store, webhook, { status: 'active' }, { now: noon + 1_000 });
      expect(heard).toBe(1);
      expect(await store.deliveries.nextDueAt()).toBeLessThanOrEqual(noon + 1_000);
      expect(await leaseDue(store, noon + 1_000)).toHaveLength(2);
    });

    test('the result of an attempt in flight is recorded, and a retry waits', async () => {
      const { trade, store, webhook, find } = await open();
      await trade.place();
      const delivery = await leaseOne(store, noon);
      await changeWebhook(store, webhook, { status: 'paused' });
      await store.deliveries.recordAttempts([failedResult(delivery, noon + 5_000)], noon + 20);
      expect(await find()).toMatchObject({ health: { pending: 1, failures: 1 } });
      expect(await leaseDue(store, noon + 60_000)).toEqual([]);
      await changeWebhook(store, webhook, { status: 'active' }, { now: noon + 60_000 });
      expect(await leaseOne(store, noon + 60_000)).toMatchObject({ attemptCount: 1 });
    });

    /** Opens a trade whose endpoint has failed until it is in backoff, with one pending delivery. */
    async function openBackingOff() {
      const opened = await open();
      const { trade, store, webhook } = opened;
      await enqueueDelivery(trade, { accountId: webhook.accountId });
      for (let round = 0; round < 5; round += 1) {
        const now = noon + round * 1_000;
        const delivery = await leaseOne(store, now);
        await store.deliveries.recordAttempts([rejectedResult(delivery, now)], now + 10);
      }
      const now = noon + 4_020;
      expect(await leaseDue(store, now)).toEqual([]);
      const { health } = (await opened.find()) ?? {};
      expect(health).toEqual({
        pending: 1,
        failures: 5,
        backoffUntil: noon + 9_010,
        lastStatus: 500,
        lastError: null,
        failingSince: noon + 10,
        failedAt: noon + 4_010,
      });
      return { ...opened, now };
    }

    test('a new URL ends the backoff of the endpoint, whose failures still count, and fail since the next one', async () => {
      const { store, webhook, find, now } = await openBackingOff();
      const url = 'https://mended.example/';
      await changeWebhook(store, webhook, { url }, { now });
      const health = { failures: 5, backoffUntil: 0, lastStatus: 500, failingSince: 0 };
      expect(await find()).toMatchObject({ health });
      const delivery = await leaseOne(store, now);
      expect(delivery).toMatchObject({ url });
      await store.deliveries.recordAttempts([rejectedResult(delivery, now)], now + 10);
      expect(await find()).toMatchObject({ health: { failures: 6, failingSince: now + 10 } });
    });

    test('a resumption ends the backoff too, a pause does not', async () => {
      const { store, webhook, find, now } = await openBackingOff();
      await changeWebhook(store, webhook, { status: 'paused' }, { now });
      const waiting = { backoffUntil: noon + 9_010, failingSince: noon + 10 };
      expect(await find()).toMatchObject({ health: waiting });
      await changeWebhook(store, webhook, { status: 'active' }, { now });
      expect(await find()).toMatchObject({ health: { backoffUntil: 0, failingSince: 0 } });
      expect(await leaseDue(store, now)).toHaveLength(1);
    });

    test('an operator pauses and resumes it without its secrets, with an entry in the audit log', async () => {
      const { store, webhook, find, now } = await openBackingOff();
      const { accountId, id } = webhook;
      const request = { accountId, id, context: aContext(now) };
      const operator = { type: 'operator', id: 'ops@host-1' } as const;
      const change = (status: 'active' | 'paused', of: Partial<typeof request> = {}) => {
        const action = status === 'paused' ? 'webhook.paused' : 'webhook.resumed';
        const audit = auditWebhook(operator, action, webhook, request.context);
        return store.webhooks.changeStatus({ ...request, ...of, status }, audit);
      };
      expect(await store.webhooks.findOwner(id)).toBe(accountId);
      expect(await store.webhooks.findOwner('whk_unknown')).toBeNull();
      expect(await change('active')).toBe(false);
      expect(await change('paused', { accountId: 'usr_other' })).toBe(false);
      expect(await change('paused', { id: 'whk_unknown' })).toBe(false);
      expect(await change('paused')).toBe(true);
      expect(await find()).toMatchObject({ status: 'paused', updatedAt: now });
      expect(await leaseDue(store, now + 60_000)).toEqual([]);
      expect(await change('active')).toBe(true);
      expect(await find()).toMatchObject({ status: 'active', health: { backoffUntil: 0 } });
      const [delivery] = await leaseDue(store, now);
      expect(await store.deliveryLog.findOwner(delivery?.id ?? '')).toBe(accountId);
      expect(await store.deliveryLog.findOwner('dlv_unknown')).toBeNull();
      const entries = await store.audit.listEntries({ accountId }, { before: null, limit: 9 });
      expect(entries.map(({ action }) => action)).toEqual(['webhook.resumed', 'webhook.paused']);
      await store.webhooks.deleteWebhook(accountId, id, now);
      expect(await store.webhooks.findOwner(id)).toBeNull();
      expect(await store.deliveryLog.findOwner(delivery?.id ?? '')).toBeNull();
    });

    test('any other change does not affect the backoff', async () => {
      const { store, webhook, find, now } = await openBackingOff();
      const change = {
        events: ['task.completed' as const],
        stagedSecret: 'whsec_b',
        updatedAt: now,
      };
      await changeWebhook(store, webhook, change, { now });
      expect(await find()).toMatchObject({ health: { failures: 5, backoffUntil: noon + 9_010 } });
      expect(await leaseDue(store, now)).toEqual([]);
    });
  });
}
