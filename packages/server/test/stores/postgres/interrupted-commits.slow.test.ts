import { OutcomeUnknownError } from '@tradepost/domain/kernel/errors';
import { anIdempotencyKey, noon } from '@tradepost/domain/test/builders';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import type { Store } from '../../../src/stores/store';
import {
  type BreakingPoint,
  type CommitBreaker,
  startCommitBreaker,
} from '../../helpers/commit-breaker';
import { startPostgresServer } from '../../helpers/embedded-postgres';
import { aResult, leaseOne } from '../../helpers/leasing';
import { ReusedDatabases, startPostgres, type TestDatabase } from '../../helpers/postgres';
import { makeTempFolder } from '../../helpers/temp-folder';
import { Trade } from '../../helpers/trade';

const postgres = await startPostgres();
const databases = new ReusedDatabases(postgres);
afterAll(postgres.stop);

const page = { after: null, limit: 100 };
const points: BreakingPoint[] = ['before the commit', 'after the commit'];

describe('a connection that breaks', () => {
  let database: TestDatabase;
  let proxy: CommitBreaker;
  let store: Store;
  let trade: Trade;

  beforeEach(async () => {
    database = await databases.take();
    proxy = await startCommitBreaker(database.url);
    store = await openPostgresStore(proxy.url);
    trade = await Trade.open(store);
  });

  afterEach(async () => {
    await store.close();
    await proxy.close();
    await database.remove();
  });

  test('is reported as unknown if no connection follows, also for an order with an idempotency key', async () => {
    const idempotencyKey = anIdempotencyKey({ accountId: trade.buyer.accountId });
    proxy.breakAllAtNext();
    await expect(trade.place({ quantity: 3, idempotencyKey })).rejects.toThrow(OutcomeUnknownError);
    const other = await openPostgresStore(database.url);
    expect(await other.orders.listOrders(trade.buyer, {}, page)).toHaveLength(1);
    await other.close();
  });

  describe.each(points)('%s', (at) => {
    test('is hidden from an order, which is placed once', async () => {
      proxy.breakNext(at);
      const order = await trade.place({ quantity: 3 });
      expect(proxy.broken).toBe(1);
      expect(await store.orders.listOrders(trade.buyer, {}, page)).toEqual([order]);
      expect(await trade.unitsLeft()).toBe(997);
    });

    test('is hidden from an order with an idempotency key, which has one response', async () => {
      const idempotencyKey = anIdempotencyKey({ accountId: trade.buyer.accountId });
      proxy.breakNext(at);
      const order = await trade.place({ quantity: 3, idempotencyKey });
      expect(await trade.place({ quantity: 3, idempotencyKey })).toEqual(order);
      expect(await store.orders.listOrders(trade.buyer, {}, page)).toEqual([order]);
    });

    test('is hidden from a change of status, which has one event', async () => {
      const order = await trade.place();
      const before = await store.events.readEvents(trade.buyer.accountId, 0, 100);
      proxy.breakNext(at);
      expect(await trade.change(order, 'fulfilling')).toMatchObject({
        order: { status: 'fulfilling', version: 2 },
        changed: true,
      });
      expect(await trade.change(order, 'fulfilling')).toMatchObject({ changed: false });
      const after = await store.events.readEvents(trade.buyer.accountId, 0, 100);
      // The approval task ends with it.
      expect(after).toHaveLength(before.length + 2);
    });

    test('is hidden from the result of an attempt, which is recorded once', async () => {
      await trade.subscribe(trade.buyer, ['order.created']);
      await trade.place();
      const delivery = await leaseOne(store, noon);
      proxy.breakNext(at);
      await store.deliveries.recordAttempts([aResult(delivery)], noon);
      const { accountId } = trade.buyer;
      const record = await store.deliveryLog.findDelivery(accountId, delivery.id);
      expect(record).toMatchObject({ state: 'delivered', attemptCount: 1 });
      expect(record?.attempts).toHaveLength(1);
      expect(await store.deliveries.queueStatus(noon)).toMatchObject({ depth: 0, inFlight: 0 });
    });
  });
});

test('a crash of PostgreSQL during a commit loses no order, though its transaction ID is given to another one', async () => {
  const folder = makeTempFolder();
  onTestFinished(folder.remove);
  // What is not flushed by a commit is lost.
  const server = await startPostgresServer({
    folder: folder.path,
    settings: ['wal_writer_delay=10s'],
  });
  onTestFinished(() => server.stop());
  const proxy = await startCommitBreaker(server.url);
  const store = await openPostgresStore(proxy.url);
  onTestFinished(async () => {
    await store.close();
    await proxy.close();
  });
  const trade = await Trade.open(store);

  async function query<Row>(sql: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      return (await client.query(sql)).rows as Row[];
    } finally {
      await client.end();
    }
  }
  let isReused = false;
  async function crash(): Promise<void> {
    const [held] = await query<{ xid: string }>(
      'SELECT backend_xid::text AS xid FROM pg_stat_activity WHERE backend_xid IS NOT NULL',
    );
    await server.stop('immediate');
    await server.start();
    let last = 0n;
    while (last < BigInt(held?.xid ?? 0)) {
      const [row] = await query<{ xid: string }>('SELECT pg_current_xact_id()::text AS xid');
      last = BigInt(row?.xid ?? 0);
      isReused ||= row?.xid === held?.xid;
    }
  }
  proxy.breakNext('before the commit', crash);
  const order = await trade.place({ quantity: 3 });
  expect(isReused).toBe(true);
  expect(await store.orders.listOrders(trade.buyer, {}, page)).toEqual([order]);
  expect(await trade.unitsLeft()).toBe(997);
}, 60_000);
