import { accountKinds, orderSorts } from '@tradepost/contract';
import type { DeliveryFilter } from '@tradepost/domain/deliveries/logged-delivery';
import { readLogPage, readLogTail } from '@tradepost/domain/events/event-log';
import type { PageKey } from '@tradepost/domain/kernel/pagination';
import type { OrderFilter } from '@tradepost/domain/orders/order-store';
import { noon } from '@tradepost/domain/test/builders';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createStore } from '../../../src/stores/sqlite/sqlite-store';
import type { Store } from '../../../src/stores/store';
import { CostMeter, RecordingDatabase } from '../../helpers/recording-database';
import { makeTempFolder } from '../../helpers/temp-folder';
import { Trade } from '../../helpers/trade';

/** The number of items in each list. */
const count = 20_000;
const limit = 51;
/** The maximum number of rows that one step of a search may scan. */
const stride = 5_000;

const folder = makeTempFolder();
const file = `${folder.path}/tradepost.db`;
const db = new RecordingDatabase(file, { synchronous: 'off' });
const store: Store = createStore(db);
const meter = new CostMeter(file);
let trade: Trade;
let webhookId: string;

/** Returns the time of an item. Four items share each millisecond. */
const itemTime = (item: number) => noon + Math.floor(item / 4);
const itemId = (prefix: string, item: number) => `${prefix}_${String(item).padStart(26, '0')}`;

/** Cursors from before the newest item to after the oldest one. */
const cursors = (prefix: string): (PageKey | null)[] => [
  null,
  ...[count - 10, count / 2, 1_000, 0].map((item) => ({
    createdAt: itemTime(item),
    id: itemId(prefix, item),
  })),
];

beforeAll(async () => {
  trade = await Trade.open(store);
  ({ id: webhookId } = await trade.subscribe(trade.buyer, ['order.created']));
  const connection = new Database(file);
  const { buyer, seller, agent, listing } = trade;
  const insert = (table: string, row: Record<string, unknown>) => {
    const names = Object.keys(row);
    connection
      .prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map((name) => `@${name}`)})`)
      .run(row);
  };
  connection.transaction(() => {
    for (let item = 0; item < count; item += 1) {
      const [order, event] = [itemId('ord', item), itemId('evt', item)];
      const created_at = itemTime(item);
      insert('orders', {
        id: order,
        status: item % 2 === 0 ? 'pending' : 'confirmed',
        buyer_id: buyer.accountId,
        seller_id: seller.accountId,
        agent_id: agent.accountId,
        listing_id: listing.id,
        quantity: 1,
        version: 1,
        created_at,
        updated_at: created_at,
      });
      // The clock of the process that wrote every second event was a minute slow.
      const time = item % 2 === 0 ? created_at : created_at - 60_000;
      const eventType = 'order.created';
      insert('events', {
        id: event,
        event_type: eventType,
        order_id: order,
        body: '{}',
        created_at: time,
      });
      insert('account_events', {
        seq: created_at * 1_024 + (item % 4),
        account_id: buyer.accountId,
        event_id: event,
      });
      insert('notifications', {
        id: itemId('ntf', item),
        account_id: buyer.accountId,
        event_id: event,
        type: 'order_created',
        order_id: order,
        message: '',
        read: item % 2,
        created_at,
      });
      insert('deliveries', {
        id: itemId('dlv', item),
        event_id: event,
        webhook_id: webhookId,
        event_type: eventType,
        test: 0,
        state: item % 2 === 0 ? 'failed' : 'delivered',
        attempts: 1,
        tries: 1,
        deadline_at: created_at,
        last_status: item % 2 === 0 ? 500 : 200,
        created_at,
        finished_at: created_at,
      });
    }
    // More webhooks than an account may have.
    for (let item = 0; item < 1_000; item += 1) {
      const created_at = itemTime(item);
      const id = itemId('whk', item);
      insert('webhooks', {
        id,
        account_id: seller.accountId,
        url: 'https://receiver.example/',
        status: 'active',
        secret: '',
        created_at,
        updated_at: created_at,
      });
      insert('webhook_events', {
        account_id: seller.accountId,
        event_type: 'order.created',
        webhook_id: id,
      });
      insert('queues', {
        webhook_id: id,
        depth: 0,
        in_flight: 0,
        paused: 0,
        concurrency_limit: 4,
        failures: 0,
        failed_at: 0,
        backoff_until: 0,
        failing_since: 0,
      });
    }
  })();
  connection.close();
}, 60_000);
beforeEach(() => {
  db.queries.length = 0;
});
afterAll(async () => {
  meter.close();
  await store.close();
  folder.remove();
});

/**
 * Expects that every scanned row was returned, except for the one that the cursor names, where the range
 * starts: the cost depends on the size of the page, not on its position.
 */
function expectNoRowSteppedOver(): void {
  expect(db.queries.length).toBeGreaterThan(0);
  for (const query of db.queries) {
    const { sql, visited, returned } = meter.measure(query);
    expect(visited, sql).toBeGreaterThanOrEqual(returned);
    expect(visited, sql).toBeLessThanOrEqual(returned + 1);
  }
}

const times = [undefined, noon - 1, itemTime(1_000), itemTime(count / 2), itemTime(count)];
const spans = times.flatMap((createdAfter) =>
  times.map((createdBefore) => ({
    ...(createdAfter !== undefined && { createdAfter }),
    ...(createdBefore !== undefined && { createdBefore }),
  })),
);

describe('the cost of lists', () => {
  test('includes rows that are scanned and not returned', () => {
    const sql = `SELECT id FROM orders INDEXED BY orders_of_buyer
      WHERE buyer_id = ? AND created_at < ? AND (created_at, id) < (?, ?)
      ORDER BY created_at DESC, id DESC LIMIT ?`;
    const cursor = [itemTime(1_000), itemId('ord', 1_000)];
    const values = [trade.buyer.accountId, itemTime(count), ...cursor, limit];
    const { visited, returned } = meter.measure({ sql, values });
    expect(returned).toBe(limit);
    expect(visited).toBe(count - 1_000 + limit);
  });

  test.each(accountKinds)(
    'is that of its own rows for a page of orders, for their %s',
    async (kind) => {
      const filters: OrderFilter[] = spans.flatMap((span) => [
        span,
        { ...span, statuses: ['pending'] },
      ]);
      let full = 0;
      for (const filter of filters) {
        for (const after of cursors('ord')) {
          const found = await store.orders.listOrders(trade[kind], filter, { after, limit });
          full += found.length === limit ? 1 : 0;
        }
      }
      expect(full).toBeGreaterThan(50);
      expectNoRowSteppedOver();
    },
  );

  test('is that of its own rows for a page of orders by either time in either direction', async () => {
    const lists = accountKinds.flatMap((kind) => orderSorts.map((sort) => ({ kind, sort })));
    for (const { kind, sort } of lists) {
      for (const after of cursors('ord')) {
        const page = { after, limit, sort };
        await store.orders.listOrders(trade[kind], {}, page);
        if (!sort.endsWith('updatedAt')) continue;
        await store.orders.listOrders(trade[kind], { updatedAfter: itemTime(1_000) }, page);
      }
    }
    expectNoRowSteppedOver();
  });

  test('is that of a page for each status for a page of orders with several', async () => {
    const statuses = ['pending', 'confirmed', 'cancelled'] as const;
    for (const sort of ['-createdAt', 'createdAt'] as const) {
      for (const after of cursors('ord')) {
        await store.orders.listOrders(trade.seller, { statuses }, { after, limit, sort });
      }
    }
    expect(db.queries.length % statuses.length).toBe(0);
    expectNoRowSteppedOver();
  });

  test.each(orderSorts)('is limited for each step of a search for orders by %s', async (sort) => {
    const filters: OrderFilter[] = [
      { listingId: 'lst_none' },
      { buyerId: trade.buyer.accountId, listingId: 'lst_none' },
      { buyerId: 'usr_none' },
      { minQuantity: 2, maxQuantity: 3 },
      { statuses: ['pending', 'confirmed'], listingId: 'lst_none' },
      { statuses: ['pending'], createdAfter: itemTime(100), updatedAfter: itemTime(200) },
    ];
    for (const filter of filters) {
      for (const after of cursors('ord')) {
        await store.orders.listOrders(trade.seller, filter, { after, limit, sort });
      }
    }
    const costs = db.queries.map((query) => meter.measure(query).visited);
    expect(costs.length).toBeGreaterThan(50);
    // The additional row is the one that the cursor names.
    expect(Math.max(...costs)).toBe(stride + 1);
  });

  test('is that of the orders that are counted, and limited for each step of a search that counts', async () => {
    const { countOrders } = store.orders;
    const indexed: OrderFilter[] = [
      {},
      { statuses: ['pending'] },
      { statuses: ['pending', 'confirmed'], createdAfter: itemTime(1_000) },
      { updatedAfter: itemTime(1_000) },
    ];
    for (const filter of indexed) {
      expect(await countOrders(trade.seller, filter, limit)).toBe(limit);
    }
    expect(db.queries).toHaveLength(indexed.length);
    // The orders with the first of two statuses are enough.
    const visited = db.queries.map((query) => meter.measure(query).visited);
    expect(visited).toEqual([limit, limit, 0, limit]);
    db.queries.length = 0;
    expect(await countOrders(trade.seller, {}, 100_001)).toBe(count);
    expect(await countOrders(trade.seller, {}, count - 7)).toBe(count - 7);
    const both: OrderFilter = { statuses: ['pending', 'confirmed'] };
    expect(await countOrders(trade.seller, both, count - 7)).toBe(count - 7);
    expect(await countOrders(trade.seller, { updatedAfter: itemTime(1_000) }, count)).toBe(
      count - 1_004,
    );
    expect(await countOrders(trade.seller, { minQuantity: 2 }, limit)).toBe(0);
    expect(await countOrders(trade.seller, { maxQuantity: 1 }, count + 1)).toBe(count);
    const costs = db.queries.map((query) => meter.measure(query).visited);
    expect(costs.length).toBeGreaterThan(8);
    expect(Math.max(...costs)).toBeLessThanOrEqual(stride + 1);
  });

  test('is that of its own rows for a page of partners, whatever the number of orders', async () => {
    await trade.place();
    db.queries.length = 0;
    const page = { after: null, limit };
    expect(await store.partners.listPartners(trade.buyer.accountId, undefined, page)).toHaveLength(
      2,
    );
    expect(db.queries.map((query) => meter.measure(query))).toMatchObject([
      { visited: 2, returned: 2 },
    ]);
  });

  test('is that of what changed for a page of orders since a time, if that is little', async () => {
    const filter = { updatedAfter: itemTime(count - 1_000) };
    const found = await store.orders.listOrders(trade.seller, filter, { after: null, limit });
    expect(found).toHaveLength(limit);
    const [, page] = db.queries.map((query) => meter.measure(query).visited);
    expect(db.queries).toHaveLength(2);
    expect(page).toBeLessThanOrEqual(1_000);
  });

  test('is that of its own rows for a page of notifications', async () => {
    for (const filter of [{}, { read: true }, { read: false }]) {
      for (const after of cursors('ntf')) {
        const page = { after, limit };
        await store.notifications.listNotifications(trade.buyer.accountId, filter, page);
      }
    }
    expectNoRowSteppedOver();
  });

  test('is that of its own rows for a page of webhooks', async () => {
    for (const item of [null, 999, 500, 100, 0]) {
      const after = item === null ? null : { createdAt: itemTime(item), id: itemId('whk', item) };
      await store.webhooks.listWebhooks(trade.seller.accountId, { after, limit });
    }
    expectNoRowSteppedOver();
  });

  test('is that of its own rows for a page of events, and of what is read for one since a time', async () => {
    const { signal } = new AbortController();
    const items = [0, 1_000, count / 2, count - 10];
    const readPages = async (since?: number) => {
      for (const after of [undefined, ...items.map((item) => itemTime(item) * 1_024)]) {
        const query = { after, since, limit };
        const page = await readLogPage(store.events, trade.buyer.accountId, query, signal);
        expect(page.events.length).toBeGreaterThan(0);
      }
    };
    await readPages();
    expectNoRowSteppedOver();
    for (const { values } of db.queries) expect(values.at(-1)).toBe(limit);
    for (const since of [noon - 60_000, itemTime(1_000), itemTime(count / 2)]) {
      db.queries.length = 0;
      await readPages(since);
      const events = db.queries.filter(({ sql }) => sql.includes('JOIN events'));
      // Every second event is too old, where the clock was slow.
      const visited = events.map((query) => meter.measure(query).visited);
      expect(visited.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(
        (items.length + 1) * 2 * limit,
      );
    }
  });

  test('is that of its own rows for a page of the last events, also before a cursor or a time', async () => {
    const { signal } = new AbortController();
    const { accountId } = trade.buyer;
    for (const before of [undefined, ...[5_000, count / 2].map((item) => itemTime(item) * 1_024)]) {
      const page = await readLogTail(store.events, accountId, { before, limit }, signal);
      expect(page.events).toHaveLength(limit);
    }
    expectNoRowSteppedOver();
    for (const { values } of db.queries) expect(values.at(-1)).toBe(limit + 1);
  });

  test('is limited for a page of events of a type that there is not, in each direction and step', async () => {
    const { signal } = new AbortController();
    const { accountId } = trade.buyer;
    const query = { eventType: 'task.completed' as const, limit };
    const limits = { stepSize: 1_000, maxScan: 5_000 };
    const tail = await readLogTail(store.events, accountId, query, signal, limits);
    expect(tail).toMatchObject({ events: [], start: expect.any(Number) });
    for (const until of [undefined, itemTime(count - 1)]) {
      const whole = { ...query, until };
      const page = await readLogPage(store.events, accountId, whole, signal, limits);
      expect(page).toMatchObject({ events: [], hasMore: true });
      // A page, and five steps.
      expect(page.end).toBe(itemTime(5_050) * 1_024 + 2);
    }
    const costs = db.queries.map((query) => meter.measure(query));
    expect(costs.map(({ visited }) => visited)).toHaveLength(3 * 6 * 2);
    expect(Math.max(...costs.map(({ visited }) => visited))).toBe(1_000);
    // Only events that are wanted, besides the length of each part.
    expect(costs.reduce((sum, { returned }) => sum + returned, 0)).toBe(3 * 6);
  });

  test('is that of its own rows for a page of deliveries, unless it is a search', async () => {
    const filters: DeliveryFilter[] = [
      {},
      { webhookId },
      { state: 'failed' },
      { state: 'pending' },
    ];
    for (const filter of filters) {
      for (const since of times) {
        for (const after of cursors('dlv')) {
          const whole = { ...filter, ...(since !== undefined && { since }) };
          await store.deliveryLog.listDeliveries(trade.buyer.accountId, whole, { after, limit });
        }
      }
    }
    expectNoRowSteppedOver();
  });

  test('is limited for each step of a search for deliveries', async () => {
    const filters: DeliveryFilter[] = [
      { eventType: 'task.completed' },
      { statusClass: '4xx', state: 'failed' },
    ];
    for (const filter of filters) {
      for (const after of cursors('dlv')) {
        await store.deliveryLog.listDeliveries(trade.buyer.accountId, filter, { after, limit });
      }
    }
    const costs = db.queries.map((query) => meter.measure(query).visited);
    // The additional row is the one that the cursor names.
    expect(Math.max(...costs)).toBe(stride + 1);
  });
});
