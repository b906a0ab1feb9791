import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import pg from 'pg';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import type { Store } from '../../../src/stores/store';
import { CapturedLog } from '../../helpers/captured-log';
import { type PostgresPair, startPostgresPair } from '../../helpers/postgres-pair';
import { Trade } from '../../helpers/trade';

describe('after a failover', () => {
  let pair: PostgresPair;
  let hosts: readonly [string, string];
  let logged: CapturedLog;
  let store: Store;
  let trade: Trade;

  async function open(url: string): Promise<Store> {
    const opened = await openPostgresStore(url, { log: logged.log });
    onTestFinished(() => opened.close());
    return opened;
  }

  const readTimeline = (from: Store) => from.getConnectionStatus?.().server;

  async function countOrders(url: string): Promise<number> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rowCount } = await client.query('SELECT 1 FROM orders');
    await client.end();
    return rowCount ?? 0;
  }

  beforeEach(async () => {
    pair = await startPostgresPair();
    onTestFinished(pair.stop);
    hosts = [new URL(pair.urls[0]).host, new URL(pair.urls[1]).host];
    logged = new CapturedLog();
    store = await open(pair.url);
    expect(readTimeline(store)).toEqual({ host: hosts[0], timeline: 1 });
    expect(await logged.next('connected to PostgreSQL')).toMatchObject({ timeline: 1 });
    trade = await Trade.open(store);
    await pair.killPrimary();
    await pair.promote();
    await trade.place();
    const changed = 'PostgreSQL connections lead to another server or timeline';
    expect(await logged.next(changed)).toMatchObject({
      host: hosts[1],
      timeline: 2,
      before: { host: hosts[0], timeline: 1 },
    });
  });

  test('the old primary server that comes back gets no changes while the new one restarts', async () => {
    await pair.returnPrimary();
    await pair.killPromoted();
    const failure = await trade.place().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreUnavailableError);
    expect(await logged.next('an old primary server of PostgreSQL accepts changes')).toMatchObject({
      host: hosts[0],
      timeline: 1,
      highest: 2,
    });
    await pair.returnPromoted();
    await vi.waitFor(() => trade.place(), 20_000);
    expect(readTimeline(store)).toEqual({ host: hosts[1], timeline: 2 });
    expect(await countOrders(pair.urls[0])).toBe(0);
  });

  test('a process that starts then uses the new primary server, though the old one comes first', async () => {
    await pair.returnPrimary();
    const other = await open(pair.url);
    expect(readTimeline(other)).toEqual({ host: hosts[1], timeline: 2 });
    await pair.killPromoted();
    await expect(trade.on(other).place()).rejects.toThrow(StoreUnavailableError);
  });

  test('a process that started while the new primary server was down leaves the old one', async () => {
    await pair.returnPrimary();
    await pair.killPromoted();
    const other = await open(pair.url);
    expect(readTimeline(other)).toEqual({ host: hosts[0], timeline: 1 });
    await pair.returnPromoted();
    await vi.waitFor(async () => {
      await other.checkWritable();
      expect(readTimeline(other)).toEqual({ host: hosts[1], timeline: 2 });
    }, 20_000);
  });
});
