import type { EventType } from '@tradepost/contract';
import { newDelivery } from '@tradepost/domain/deliveries/delivery';
import { createTestEvent } from '@tradepost/domain/events/test-event';
import { createIdGenerator } from '@tradepost/domain/kernel/context';
import { aContext, noon } from '@tradepost/domain/test/builders';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { disableFailing } from '@tradepost/domain/webhooks/disabling';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store';
import { aResult, leaseDue, leaseOne, rejectedResult } from '../../helpers/leasing';
import { Trade } from '../../helpers/trade';
import { changeWebhook } from '../change-webhook';
import type { StoreUnderTest } from './store-under-test';

const day = 24 * 60 * 60 * 1000;
/** When the endpoint was found to fail, and when it is disabled. */
const since = noon + 10;
const end = noon + 3 * day + 60_000;

async function disable({ webhooks }: Store, now = end): Promise<string[]> {
  const clock = new FakeClock();
  clock.set(now);
  const settings = { webhooks, clock, newId: createIdGenerator(), disableAfterDays: 3 };
  const { disabled } = await disableFailing(settings);
  return disabled.map(({ webhookId }) => webhookId);
}

/** Leases the only due delivery a few times, the last time after three days, and lets each attempt fail. */
async function failForDays(store: Store, first = noon): Promise<void> {
  await failAt(store, [first, first + 20, first + 40, first + 60, first + 3 * day]);
}

async function failAt(store: Store, times: readonly number[]): Promise<void> {
  for (const now of times) {
    const result = rejectedResult(await leaseOne(store, now), now);
    await store.deliveries.recordAttempts([result], now + 10);
  }
}

/** Endpoints that keep failing. */
export function describeDisabling(underTest: StoreUnderTest): void {
  describe('an endpoint that failed for three days', () => {
    async function open(events: EventType[] = ['order.created']) {
      const trade = await Trade.open(underTest.current);
      const { store, buyer } = trade;
      const webhook = await trade.subscribe(buyer, events);
      const { accountId } = buyer;
      const find = () => store.webhooks.findWebhook(accountId, webhook.id);
      const listEvents = async (of = accountId) =>
        (await store.events.readEvents(of, 0, 10)).map(({ eventType }) => eventType);
      const notices = async (of = accountId) => {
        const page = { after: null, limit: 10 };
        const all = await store.notifications.listNotifications(of, {}, page);
        return all.filter(({ type }) => type === 'webhook_disabled');
      };
      return { trade, store, buyer, webhook, find, listEvents, notices };
    }

    test('is disabled once, and its account hears of it', async () => {
      const { trade, store, buyer, webhook, find, listEvents, notices } = await open();
      const watching = await trade.subscribe(buyer, ['webhook.disabled']);
      await trade.subscribe(buyer, ['order.status_changed']);
      await trade.subscribe(trade.seller, ['webhook.disabled']);
      const order = await trade.place();
      await failForDays(store);
      const heard: string[][] = [];
      store.onEvents((accountIds) => heard.push(accountIds));
      expect(await disable(store)).toEqual([webhook.id]);
      expect(heard).toEqual([[buyer.accountId]]);
      expect(await find()).toMatchObject({
        ...{ status: 'paused', disabledAt: end, updatedAt: end, secret: webhook.secret },
        health: { pending: 1, failures: 5, failingSince: since, failedAt: noon + 3 * day + 10 },
      });
      expect(await disable(store)).toEqual([]);
      expect((await store.summaries.countAccount(buyer, 10, end)).webhooks).toEqual({
        active: 2,
        paused: 0,
        disabled: 1,
        backoff: 0,
      });
      const [delivery, ...others] = await leaseDue(store, end + day);
      expect(others).toEqual([]);
      expect(delivery).toMatchObject({ webhookId: watching.id, orderVersion: null });
      expect(JSON.parse(delivery?.body ?? '')).toMatchObject({
        event: 'webhook.disabled',
        data: { webhookId: webhook.id, url: webhook.url, lastStatus: 500, lastError: null },
      });
      expect(await listEvents()).toContain('webhook.disabled');
      const [event] = await store.events.readEvents(
        buyer.accountId,
        (delivery?.sequence ?? 0) - 1,
        1,
      );
      expect(event).toMatchObject({ id: delivery?.eventId, actorId: null, createdAt: end });
      expect(await store.events.readEvents(buyer.accountId, 0, 10, order.id)).not.toContainEqual(
        event,
      );
      expect(await notices()).toMatchObject([
        { orderId: order.id, eventId: event?.id, read: false, createdAt: end },
      ]);
      for (const { accountId } of [trade.seller, trade.agent]) {
        expect(await listEvents(accountId)).not.toContain('webhook.disabled');
        expect(await notices(accountId)).toEqual([]);
      }
      const page = { after: null, limit: 10 };
      const logged = await store.deliveryLog.listDeliveries(buyer.accountId, {}, page);
      expect(logged.find(({ id }) => id === delivery?.id)).toMatchObject({ orderId: null });
    });

    test('is disabled by one of two processes', async () => {
      const { trade, store, webhook, notices } = await open();
      await trade.place();
      await failForDays(store);
      const both = await Promise.all([disable(store), disable(store)]);
      expect(both.flat()).toEqual([webhook.id]);
      expect(await notices()).toHaveLength(1);
    });

    test('gets no event about itself', async () => {
      const { trade, store, webhook, find, listEvents } = await open([
        'order.created',
        'webhook.disabled',
      ]);
      await trade.place();
      await failForDays(store);
      expect(await disable(store)).toEqual([webhook.id]);
      expect(await find()).toMatchObject({ health: { pending: 1 } });
      expect(await listEvents()).toContain('webhook.disabled');
    });

    test('is not found before it is in backoff, so that many such endpoints hide no other', async () => {
      const { trade, store, webhook } = await open();
      await trade.place();
      const request = { now: end + 1, failingForMs: 3 * day, limit: 1 };
      await failAt(store, [noon, noon + 20, noon + 40, noon + 3 * day]);
      expect(await store.webhooks.listFailing(request)).toEqual([]);
      await failAt(store, [end]);
      expect(await store.webhooks.listFailing(request)).toEqual([webhook.id]);
    });

    test('is not disabled before, nor when it is paused, deleted or acknowledges again', async () => {
      const { trade, store, webhook, find } = await open();
      await trade.place();
      await failForDays(store);
      expect(
        await store.webhooks.listFailing({ now: end, failingForMs: 3 * day + 1, limit: 9 }),
      ).toEqual([]);
      await changeWebhook(store, webhook, { status: 'paused' });
      expect(await disable(store)).toEqual([]);
      expect(await find()).toMatchObject({ status: 'paused', disabledAt: null });
      await changeWebhook(store, webhook, { status: 'active' }, { now: end });
      expect(await find()).toMatchObject({ health: { failures: 5, failingSince: 0 } });
      expect(await disable(store)).toEqual([]);
      const result = aResult(await leaseOne(store, end));
      await store.deliveries.recordAttempts([result], end);
      expect(await disable(store, end + 9 * day)).toEqual([]);
      await store.webhooks.deleteWebhook(webhook.accountId, webhook.id, end);
      const seen: unknown[] = [];
      const nothing = await store.webhooks.disableWebhook(webhook.id, aContext(), (found) => {
        seen.push(found);
        return null;
      });
      expect([nothing, seen]).toEqual([null, [null]]);
    });

    test('is disabled again three days after it was resumed, at the earliest', async () => {
      const { trade, store, webhook, find } = await open();
      await trade.place();
      await failForDays(store);
      expect(await disable(store)).toEqual([webhook.id]);
      await changeWebhook(store, webhook, { status: 'active', disabledAt: null }, { now: end });
      const fail = async (now: number) => {
        const result = rejectedResult(await leaseOne(store, now), now);
        await store.deliveries.recordAttempts([result], now + 10);
      };
      await fail(end);
      expect(await find()).toMatchObject({ disabledAt: null, health: { failingSince: end + 10 } });
      await fail(end + 3 * day - 1);
      expect(await disable(store, end + 4 * day)).toEqual([]);
      await fail(end + 4 * day);
      expect(await disable(store, end + 5 * day)).toEqual([webhook.id]);
    });

    /** Lets a test event be the only delivery of an endpoint. */
    async function sendTest(store: Store, { accountId, id }: Webhook): Promise<void> {
      const context = aContext();
      const request = { accountId, webhookId: id, idempotencyKey: null, context };
      await store.deliveryLog.enqueueTestDelivery(request, () => {
        const event = createTestEvent('order.created', context);
        const delivery = { ...newDelivery(event, id, context), test: true };
        return { event, delivery, response: { status: 202, headers: {}, body: null } };
      });
    }

    test('that got test events alone is disabled without a notification, which needs an order', async () => {
      const { store, webhook, listEvents, notices } = await open();
      await sendTest(store, webhook);
      await failForDays(store);
      expect(await disable(store)).toEqual([webhook.id]);
      expect(await listEvents()).toEqual(['webhook.disabled']);
      expect(await notices()).toEqual([]);
    });

    test('is notified about with the order of the last delivery that failed', async () => {
      const { trade, store, notices } = await open();
      await trade.place();
      const failed = await trade.place({ now: noon + 1 });
      const [first, second] = await leaseDue(store, noon + 1);
      if (!(first && second)) throw new Error('Two deliveries must be due.');
      const rejected = rejectedResult(second, noon + 1);
      const final = { ...rejected, state: 'failed', nextAttemptAt: null } as const;
      await store.deliveries.recordAttempts([rejectedResult(first, noon), final], noon + 11);
      await failForDays(store, noon + 20);
      await disable(store);
      expect(await notices()).toMatchObject([{ orderId: failed.id }]);
    });
  });
}
