import { OutcomeUnknownError } from '@tradepost/domain/kernel/errors';
import { anIdempotencyKey, noon } from '@tradepost/domain/test/builders';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import type { Store } from '../../../src/stores/store';
import {
  type BreakingPoint,
  type CommitBreaker,
  startCommitBreaker,
} from '../../helpers/commit-breaker';
import { aResult, leaseOne } from '../../helpers/leasing';
import { ReusedDatabases, startPostgres, type TestDatabase } from '../../helpers/postgres';
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
