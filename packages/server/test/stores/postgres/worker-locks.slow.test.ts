import { leaseMs } from '@tradepost/domain/deliveries/delivery';
import { noon } from '@tradepost/domain/test/builders';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import type { Store } from '../../../src/stores/store';
import { ReusedDatabases, startPostgres } from '../../helpers/postgres';
import { Trade } from '../../helpers/trade';

const postgres = await startPostgres();
const databases = new ReusedDatabases(postgres);
afterAll(postgres.stop);

/** The lock of a worker, as PostgreSQL lists it. */
const isLock = `locktype = 'advisory' AND objsubid = 1 AND granted
  AND (classid::bigint << 32) | objid::bigint = lock_key`;

/** Queues a delivery, and leases it as a worker. */
async function leaseAs(store: Store, worker: string): Promise<void> {
  const trade = await Trade.open(store);
  await trade.subscribe(trade.buyer, ['order.created']);
  await trade.place();
  const times = { now: noon, leaseUntil: noon + leaseMs };
  await store.deliveries.leaseDue({ ...times, leaseToken: 'lease', limit: 1, worker });
}

describe('a worker', () => {
  let store: Store;
  let admin: pg.Client;
  let worker: string;
  let url: string;

  /** Lets the worker check the others, as it does every second, and itself. */
  const check = () => store.deliveries.releaseDeadLeases(noon);

  /** Returns the workers that others see to be alive. */
  async function listLocked(): Promise<string[]> {
    const { rows } = await admin.query<{ id: string }>(
      `SELECT id FROM workers JOIN pg_locks ON ${isLock} WHERE server_run <> ''`,
    );
    return rows.map(({ id }) => id);
  }

  /** Ends the session that holds the lock. */
  async function endSession(): Promise<void> {
    await admin.query(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_locks JOIN workers ON ${isLock}`,
    );
  }

  beforeEach(async () => {
    const database = await databases.take();
    url = database.url;
    store = await openPostgresStore(url);
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
    onTestFinished(async () => {
      await store.close();
      await admin.end();
      await database.remove();
    });
    worker = (await store.deliveries.registerWorker()).id;
    expect(await listLocked()).toEqual([worker]);
  });

  test('takes its lock again as soon as its session was ended', async () => {
    await endSession();
    await expect.poll(listLocked).toEqual([worker]);
  });

  test('is not considered dead because its session was ended', async () => {
    const other = await openPostgresStore(url);
    onTestFinished(() => other.close());
    await leaseAs(store, worker);
    for (let count = 0; count < 5; count += 1) {
      await endSession();
      expect(await other.deliveries.releaseDeadLeases(noon)).toBe(0);
    }
    await expect.poll(listLocked).toEqual([worker]);
    expect(await other.deliveries.releaseDeadLeases(noon)).toBe(0);
    expect(await store.deliveries.queueStatus(noon)).toMatchObject({ inFlight: 1 });
  });

  test('takes its lock again although another session has it at first', async () => {
    // It waits for the lock, and so is the first to get it.
    const waiting = admin.query('SELECT pg_advisory_lock(lock_key) FROM workers');
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_locks JOIN workers ON ${isLock}`,
    );
    await other.end();
    await waiting;
    await check();
    await admin.query('SELECT pg_advisory_unlock(lock_key) FROM workers');
    await check();
    expect(await listLocked()).toEqual([worker]);
  });

  test('takes its lock again although no connection is possible at first', async () => {
    const maintenance = Object.assign(new URL(url), { pathname: '/template1' });
    const other = new pg.Client({ connectionString: maintenance.href });
    await other.connect();
    onTestFinished(() => other.end());
    const name = new URL(url).pathname.slice(1);
    await other.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS FALSE`);
    await endSession();
    await expect(check()).rejects.toThrow();
    await other.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS TRUE`);
    await check();
    expect(await listLocked()).toEqual([worker]);
  });

  test('registers again after others considered it dead', async () => {
    await admin.query('DELETE FROM workers');
    await check();
    expect(await listLocked()).toEqual([worker]);
  });
});
