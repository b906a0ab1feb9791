import { orderStatuses } from '@tradepost/contract';
import { expect, onTestFinished, test } from 'vitest';
import { hashApiKey } from '../src/accounts/api-key';
import { createIds } from '../src/ids';
import { seedWorld } from '../src/seed-world';
import { openSqliteStore } from '../src/stores/sqlite/sqlite-store';
import { FakeClock } from './fake-clock';

test('the demo world has accounts of each kind with good keys, orders in every state, and stock that adds up', async () => {
  const store = openSqliteStore(':memory:');
  onTestFinished(() => store.close());
  const { accounts, listings, orders } = await seedWorld(store, new FakeClock(), createIds());
  expect(new Set(accounts.map(({ kind }) => kind))).toEqual(new Set(['buyer', 'seller', 'agent']));
  for (const { id, kind, apiKey } of accounts) {
    const key = await store.accounts.findKeyByHash(hashApiKey(apiKey));
    expect(key).toMatchObject({ accountId: id, kind, readOnly: false });
  }
  expect(new Set(orders.map(({ status }) => status))).toEqual(new Set(orderStatuses));
  for (const { id, status, quantity } of orders) {
    expect(await store.orders.findOrder(id)).toMatchObject({ status, quantity });
  }
  const taken = orders
    .filter(({ status }) => status !== 'cancelled')
    .reduce((sum, { quantity }) => sum + quantity, 0);
  const left = listings.reduce((sum, { availableQuantity }) => sum + availableQuantity, 0);
  expect(left).toBe(700 - taken);
});

test('the demo world can be added twice', async () => {
  const store = openSqliteStore(':memory:');
  onTestFinished(() => store.close());
  const newId = createIds();
  const first = await seedWorld(store, new FakeClock(), newId);
  const second = await seedWorld(store, new FakeClock(), newId);
  const ids = [...first.orders, ...second.orders].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});
