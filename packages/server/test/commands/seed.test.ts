import { orderStatuses } from '@tradepost/contract';
import { createIdGenerator } from '@tradepost/domain/kernel/context';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { expect, onTestFinished, test } from 'vitest';
import { seed } from '../../src/commands/seed';
import { hashApiKey } from '../../src/kernel/api-key';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';

test('the demo data has accounts of each kind with valid keys, orders with every status, and consistent stock', async () => {
  const store = openSqliteStore(':memory:');
  onTestFinished(() => store.close());
  const { accounts, listings, orders } = await seed(store, new FakeClock(), createIdGenerator());
  expect(new Set(accounts.map(({ kind }) => kind))).toEqual(new Set(['buyer', 'seller', 'agent']));
  for (const { id, kind, apiKey } of accounts) {
    const key = await store.accounts.findKeyByHash(hashApiKey(apiKey));
    expect(key).toMatchObject({ accountId: id, kind, readOnly: false });
  }
  expect(new Set(orders.map(({ status }) => status))).toEqual(new Set(orderStatuses));
  for (const { id, status, quantity } of orders) {
    expect(await store.orders.findOrder(id)).toMatchObject({ status, quantity });
  }
  for (const { id, title } of listings) {
    expect(title).not.toBe('');
    expect(await store.listings.findListing(id)).toMatchObject({ title });
  }
  const taken = orders
    .filter(({ status }) => status !== 'cancelled')
    .reduce((sum, { quantity }) => sum + quantity, 0);
  const left = listings.reduce((sum, { availableQuantity }) => sum + availableQuantity, 0);
  expect(left).toBe(700 - taken);
});

test('the demo data can be added twice', async () => {
  const store = openSqliteStore(':memory:');
  onTestFinished(() => store.close());
  const newId = createIdGenerator();
  const first = await seed(store, new FakeClock(), newId);
  const second = await seed(store, new FakeClock(), newId);
  const ids = [...first.orders, ...second.orders].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});
