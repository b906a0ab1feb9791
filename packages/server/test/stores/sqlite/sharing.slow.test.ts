import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import { aContext, noon } from '@tradepost/domain/test/builders';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import type { Store } from '../../../src/stores/store';
import { Child } from '../../helpers/child';
import { tempFile } from '../../helpers/temp-folder';
import { Trade } from '../../helpers/trade';

const page = { after: null, limit: 100 };

let file: string;
let store: Store;
let trade: Trade;

beforeEach(async () => {
  file = tempFile();
  store = openSqliteStore(file);
  onTestFinished(() => store.close());
  trade = await Trade.open(store);
  await trade.subscribe(trade.buyer, ['order.created', 'order.status_changed']);
});

async function lockElsewhere(): Promise<Child> {
  const child = new Child(new URL('./write-lock-process.ts', import.meta.url), file);
  expect(await child.readLine()).toBe('locked');
  return child;
}

/** Returns all rows of all tables. */
function contents(): unknown {
  const connection = new Database(file, { readonly: true });
  try {
    const tables = connection
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .pluck()
      .all();
    return tables.map((table) => [table, connection.prepare(`SELECT * FROM ${table}`).all()]);
  } finally {
    connection.close();
  }
}

function health(): unknown {
  const connection = new Database(file, { readonly: true });
  try {
    return {
      integrity: connection.pragma('integrity_check', { simple: true }),
      brokenReferences: connection.pragma('foreign_key_check'),
    };
  } finally {
    connection.close();
  }
}

const sound = { integrity: 'ok', brokenReferences: [] };

describe('in a SQLite file that other processes use too', () => {
  test('a change waits without blocking reads, and succeeds once the lock is released', async () => {
    const child = await lockElsewhere();
    let placed = false;
    const placing = trade.place().then(() => {
      placed = true;
    });
    // Reads complete while the change waits: it does not block inside SQLite.
    for (let count = 0; count < 20; count += 1) {
      await store.orders.listOrders(trade.buyer, {}, page);
    }
    expect(placed).toBe(false);
    child.write('let go');
    expect(await child.readLine()).toBe('released');
    await placing;
    expect(await store.orders.listOrders(trade.buyer, {}, page)).toHaveLength(1);
  });

  test('a change is rejected completely while another process has the write lock; reads continue, and later changes succeed', async () => {
    const order = await trade.place();
    const before = contents();
    const other = await lockElsewhere();

    await expect(trade.place()).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(contents()).toEqual(before);
    expect(await store.orders.listOrders(trade.seller, {}, page)).toEqual([order]);
    expect(await store.orders.findOrder(order.id)).toEqual(order);

    other.write('let go');
    expect(await other.readLine()).toBe('released');
    const next = await trade.place();
    expect(await store.orders.listOrders(trade.seller, {}, page)).toEqual([next, order]);
    expect(health()).toEqual(sound);
  }, 20_000);

  test('a process that dies with the write lock leaves the store usable', async () => {
    const other = await lockElsewhere();
    await other.crash();
    await trade.place();
    expect(await store.orders.listOrders(trade.buyer, {}, page)).toHaveLength(1);
    expect(health()).toEqual(sound);
  }, 20_000);

  test('two stores on one file see what the other commits, and never lease the same delivery', async () => {
    const second = openSqliteStore(file);
    onTestFinished(() => second.close());
    const orders = [await trade.place(), await trade.on(second).place(), await trade.place()];
    expect(await second.orders.listOrders(trade.buyer, {}, page)).toEqual(orders.reverse());
    const idempotencyKey = { now: noon, leaseUntil: noon + 1_000, limit: 2 };
    const one = await store.deliveries.leaseDue({ ...idempotencyKey, leaseToken: 'one' });
    const other = await second.deliveries.leaseDue({ ...idempotencyKey, leaseToken: 'other' });
    expect([one.length, other.length]).toEqual([2, 1]);
    expect(new Set([...one, ...other].map(({ id }) => id)).size).toBe(3);
  });

  test('processes that order from one listing at once are never rejected, and sell no more than there is', async () => {
    const { id } = trade.listing;
    const script = new URL('./trade-process.ts', import.meta.url);
    const buyerId = trade.buyer.accountId;
    const children = [1, 2, 3].map(() => new Child(script, file, id, buyerId));
    for (const child of children) expect(await child.readLine()).toBe('ready');
    await trade.place({ quantity: 880 });
    for (const child of children) child.write('go');
    const placed = await Promise.all(children.map((child) => child.readLine()));
    expect(placed.reduce((sum, units) => sum + Number(units), 0)).toBe(120);
    expect(await trade.unitsLeft()).toBe(0);
    const all = { after: null, limit: 1_000 };
    expect(await store.orders.listOrders(trade.seller, {}, all)).toHaveLength(121);
    expect(health()).toEqual(sound);
  }, 30_000);

  test('nothing of a change can be seen from outside before all of it can', async () => {
    const before = contents();
    const during: unknown[] = [];
    const context = aContext();
    const rejected = store.orders.changeOrder('ord_unknown', context, () => {
      during.push(contents());
      throw new Error('changed my mind');
    });
    await expect(rejected).rejects.toThrow('changed my mind');
    await trade.place();
    expect(during).toEqual([before]);
    expect(contents()).not.toEqual(before);
  });

  test('the data is sound after a day of trade', async () => {
    for (let count = 0; count < 20; count += 1) {
      const order = await trade.place({ quantity: count + 1 });
      await trade.move(order, count % 2 === 0 ? 'fulfilling' : 'cancelled');
      await expect(trade.place({ quantity: 1_000_000 })).rejects.toThrow();
    }
    expect(health()).toEqual(sound);
  });
});
