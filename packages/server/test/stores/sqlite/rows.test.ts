import { retryWindowMs } from '@tradepost/domain/deliveries/delivery';
import { noon } from '@tradepost/domain/test/builders';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { failedResult, leaseOne } from '../../helpers/leasing';
import { tempFile } from '../../helpers/temp-folder';
import { Trade } from '../../helpers/trade';

let file: string;
let trade: Trade;

beforeEach(async () => {
  file = tempFile();
  const store = openSqliteStore(file);
  onTestFinished(() => store.close());
  trade = await Trade.open(store);
});

function rows(sql: string): unknown[] {
  const connection = new Database(file, { readonly: true });
  try {
    return connection.prepare(sql).all();
  } finally {
    connection.close();
  }
}

describe('in the rows of the tables', () => {
  test('a delivery that ends after its deadline keeps the result of its last attempt', async () => {
    await trade.subscribe(trade.buyer, ['order.created']);
    await trade.place();
    const delivery = await leaseOne(trade.store, noon);
    await trade.store.deliveries.recordAttempts([failedResult(delivery, noon + 5_000)], noon);
    const now = noon + retryWindowMs + 1;
    await trade.store.deliveries.failOverdue({ now, limit: 10 });
    expect(
      rows('SELECT state, attempts, due_at, last_status, finished_at FROM deliveries'),
    ).toEqual([{ state: 'failed', attempts: 1, due_at: null, last_status: 500, finished_at: now }]);
  });

  test('no API key is stored, only its hash', async () => {
    const keys = rows('SELECT * FROM api_keys');
    expect(keys).toHaveLength(3);
    expect(JSON.stringify(keys)).not.toMatch(/tpk_\w{5,}/);
  });
});
