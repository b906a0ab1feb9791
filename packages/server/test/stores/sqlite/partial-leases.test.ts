import { noon } from '@tradepost/domain/test/builders';
import { expect, onTestFinished, test } from 'vitest';
import { SqliteDatabase } from '../../../src/stores/sqlite/database';
import { createStore } from '../../../src/stores/sqlite/sqlite-store';
import { leaseDue } from '../../helpers/leasing';
import { Trade } from '../../helpers/trade';

test('a lease request that fails in part returns what succeeded, and rejects only if nothing did', async () => {
  const db = new SqliteDatabase(':memory:');
  onTestFinished(() => db.close());
  const store = createStore(db);
  const trade = await Trade.open(store, { availableQuantity: 1_000 });
  for (let count = 0; count < 20; count += 1) {
    await trade.subscribe(trade.buyer, ['order.created']);
  }
  for (let count = 0; count < 10; count += 1) await trade.place();
  const leased = () =>
    db.get<{ count: number }>(
      'SELECT count(*) AS count FROM deliveries WHERE lease_until IS NOT NULL',
    )?.count;
  await db.write(() =>
    db.run(`CREATE TRIGGER full BEFORE UPDATE OF lease_token ON deliveries
      WHEN (SELECT count(*) FROM deliveries WHERE lease_until IS NOT NULL) >= 64
      BEGIN SELECT RAISE (ABORT, 'no room'); END`),
  );
  const taken = await leaseDue(store, noon, 256);
  expect(taken).toHaveLength(64);
  expect(leased()).toBe(64);
  await expect(leaseDue(store, noon, 256)).rejects.toThrow('no room');
  expect(leased()).toBe(64);
});
