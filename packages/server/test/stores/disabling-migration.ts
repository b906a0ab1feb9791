import { createIdGenerator } from '@tradepost/domain/kernel/context';
import { noon } from '@tradepost/domain/test/builders';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { disableFailing } from '@tradepost/domain/webhooks/disabling';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import { expect } from 'vitest';
import type { Store } from '../../src/stores/store';
import { aResult, leaseDue, leaseOne, rejectedResult } from '../helpers/leasing';
import { Trade } from '../helpers/trade';
import { changeWebhook } from './change-webhook';

const day = 24 * 60 * 60 * 1000;
/** When the endpoint has failed for days. */
const later = noon + 4 * day;

/**
 * Migrates a store with webhooks of the first schema: one that has failed for days, one that failed and was paused, and one that works,
 * each with a pending delivery. Their state stays, and counts from the first round of housekeeping on.
 *
 * @param revert Makes the closed store what the server of the first schema left.
 */
export async function migrateFailing(
  open: () => Promise<Store> | Store,
  revert: () => Promise<void> | void,
): Promise<Store> {
  const before = await open();
  const trade = await Trade.open(before);
  const failing = await trade.subscribe(trade.buyer, ['order.created']);
  const order = await trade.place();
  for (const now of [noon, noon + 20, noon + 40, noon + 60, later]) {
    const result = rejectedResult(await leaseOne(before, now), now);
    await before.deliveries.recordAttempts([result], now + 10);
  }
  const paused = await trade.subscribe(trade.seller, ['order.status_changed']);
  const working = await trade.subscribe(trade.buyer, ['order.status_changed']);
  await trade.move(order, 'confirmed', later);
  const due = await leaseDue(before, later);
  const results = due.map((delivery) =>
    delivery.webhookId === working.id ? aResult(delivery) : rejectedResult(delivery, later),
  );
  expect(results).toHaveLength(2);
  await before.deliveries.recordAttempts(results, later + 10);
  await changeWebhook(before, paused, { status: 'paused' }, { now: later + 10 });
  await trade.move(order, 'fulfilling', later + 20);
  const read = (store: Store) =>
    Promise.all(
      [failing, paused, working].map(({ accountId, id }: Webhook) =>
        store.webhooks.findWebhook(accountId, id),
      ),
    );
  const found = await read(before);
  expect(found).toMatchObject([
    { status: 'active', health: { pending: 1, failures: 5, failingSince: noon + 10 } },
    { status: 'paused', health: { pending: 2, failures: 1, failingSince: later + 10 } },
    { status: 'active', health: { pending: 1, failures: 0, failingSince: 0 } },
  ]);
  await before.close();
  await revert();

  const store = await open();
  expect(await read(store)).toEqual(found);
  expect(found.map((webhook) => webhook?.disabledAt)).toEqual([null, null, null]);
  const clock = new FakeClock();
  clock.set(later + 20);
  const { webhooks } = store;
  const settings = { webhooks, clock, newId: createIdGenerator(), disableAfterDays: 3 };
  const { disabled } = await disableFailing(settings);
  expect(disabled.map(({ webhookId }) => webhookId)).toEqual([failing.id]);
  expect(await read(store)).toMatchObject([
    { status: 'paused', disabledAt: later + 20, health: { pending: 1 } },
    { status: 'paused', disabledAt: null, health: { pending: 2 } },
    { status: 'active', disabledAt: null, health: { pending: 1 } },
  ]);
  const delivery = await leaseOne(store, later + 20);
  expect(delivery.webhookId).toBe(working.id);
  await store.deliveries.recordAttempts([aResult(delivery)], later + 30);
  const resumed = { status: 'active', disabledAt: null } as const;
  for (const webhook of [failing, paused])
    await changeWebhook(store, webhook, resumed, { now: later + 40 });
  const waiting = await leaseDue(store, later + 40);
  const ids = waiting.map(({ webhookId }) => webhookId);
  expect(ids.sort()).toEqual([failing.id, paused.id, paused.id].sort());
  return store;
}
