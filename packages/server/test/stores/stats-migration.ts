import { noon } from '@tradepost/domain/test/builders';
import { readStats } from '@tradepost/domain/webhooks/webhook-stats';
import { expect } from 'vitest';
import type { Store } from '../../src/stores/store';
import { aResult, failedResult, leaseDue, leaseOne } from '../helpers/leasing';
import { Trade } from '../helpers/trade';

/**
 * Migrates a store with data of the first schema: a delivered, a leased and a waiting delivery, and a deleted webhook with its
 * deliveries.
 *
 * @param revert Makes the closed store what the server of the first schema left.
 */
export async function migrateWithData(
  open: () => Promise<Store> | Store,
  revert: () => Promise<void> | void,
): Promise<Store> {
  const before = await open();
  const trade = await Trade.open(before);
  const { id } = await trade.subscribe(trade.buyer, ['order.created']);
  await trade.place();
  await before.deliveries.recordAttempts([aResult(await leaseOne(before, noon))], noon);
  const deleted = await trade.subscribe(trade.seller, ['order.status_changed']);
  await trade.move(await trade.place(), 'fulfilling');
  const found = await leaseDue(before, noon);
  const [ofDeleted] = found.filter(({ webhookId }) => webhookId === deleted.id);
  if (ofDeleted === undefined) throw new Error('it was due');
  await before.deliveries.recordAttempts([failedResult(ofDeleted, noon + 1_000)], noon);
  await before.webhooks.deleteWebhook(deleted.accountId, deleted.id, noon);
  const [leased] = found.filter(({ webhookId }) => webhookId === id);
  await trade.place();
  await before.close();
  await revert();

  const store = await open();
  const getTotals = async () => (await readStats(store.webhooks, id, '7d', noon)).totals;
  expect(await getTotals()).toMatchObject({ delivered: 0, failed: 0, attempts: { '2xx': 0 } });
  if (leased === undefined) throw new Error('it was due');
  // The lease that the old server gave is still valid.
  await store.deliveries.recordAttempts([aResult(leased)], noon);
  await store.deliveries.recordAttempts([aResult(await leaseOne(store, noon))], noon);
  expect(await getTotals()).toMatchObject({ delivered: 2, failed: 0, attempts: { '2xx': 2 } });
  while ((await store.retention.pruneRemovedWebhooks({ limit: 10 })).removed > 0);
  return store;
}
