import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createDatabaseMetrics } from '../../../src/metrics/database-metrics';
import { PostgresDatabase, type Transaction } from '../../../src/stores/postgres/database';
import type { ConnectionStatus } from '../../../src/stores/store';
import { startPostgres } from '../../helpers/postgres';
import { findSamples, readSamples } from '../../metrics/scrape';

const postgres = await startPostgres();
afterAll(postgres.stop);

let db: PostgresDatabase;

beforeEach(async () => {
  const database = await postgres.createDatabase();
  db = new PostgresDatabase(database.url, { maxConnections: 2 });
  onTestFinished(async () => {
    await db.close();
    await database.remove();
  });
});

/** Uses a connection. Returns a function that frees it. */
function useConnection(): Promise<() => Promise<void>> {
  return new Promise((resolve, reject) => {
    const using = db.withConnection(
      () =>
        new Promise<void>((release) => {
          resolve(() => {
            release();
            return using;
          });
        }),
    );
    using.catch(reject);
  });
}

/** Returns how the connections are used, without the retries and the server. */
function readUse(): Omit<ConnectionStatus, 'retries' | 'server'> {
  const { retries, server, ...use } = db.connectionStatus;
  return use;
}

describe('the status of the connections', () => {
  test('counts those that are idle or in use, and what waits for one', async () => {
    expect(readUse()).toEqual({ max: 2, idle: 0, inUse: 0, waiting: 0 });
    const freeOne = await useConnection();
    const freeOther = await useConnection();
    expect(readUse()).toEqual({ max: 2, idle: 0, inUse: 2, waiting: 0 });
    const reads = [db.row('SELECT 1'), db.row('SELECT 1'), db.row('SELECT 1')];
    expect(readUse()).toEqual({ max: 2, idle: 0, inUse: 2, waiting: 3 });
    await freeOne();
    await Promise.all(reads);
    expect(readUse()).toEqual({ max: 2, idle: 1, inUse: 1, waiting: 0 });
    await freeOther();
    expect(readUse()).toEqual({ max: 2, idle: 2, inUse: 0, waiting: 0 });
  });

  test('counts what gets a connection at once as its user', async () => {
    await db.row('SELECT 1');
    expect(readUse()).toEqual({ max: 2, idle: 1, inUse: 0, waiting: 0 });
    const first = db.row('SELECT 1');
    expect(readUse()).toEqual({ max: 2, idle: 0, inUse: 1, waiting: 0 });
    const others = [db.row('SELECT 1'), db.row('SELECT 1')];
    expect(readUse()).toEqual({ max: 2, idle: 0, inUse: 2, waiting: 1 });
    await Promise.all([first, ...others]);
    expect(readUse()).toEqual({ max: 2, idle: 2, inUse: 0, waiting: 0 });
  });

  test('has a read wait as long as a change if all are in use', async () => {
    const free = [await useConnection(), await useConnection()];
    const failed: string[] = [];
    const note = (name: string) => () => failed.push(name);
    // Each waits for the same time, so the one that was first also fails first.
    const read = db.row('SELECT 1').catch(note('read'));
    const change = db.write((tx) => tx.run('SELECT 1')).catch(note('change'));
    await Promise.all([read, change]);
    await Promise.all(free.map((release) => release()));
    expect(failed).toEqual(['read', 'change']);
    expect(db.connectionStatus.retries.connection).toBe(0);
  });

  test('no longer counts connections that broke', async () => {
    const ended = db.withConnection((client) =>
      client.query('SELECT pg_terminate_backend(pg_backend_pid())'),
    );
    await expect(ended).rejects.toThrow('terminating connection');
    expect(readUse()).toEqual({ max: 2, idle: 0, inUse: 0, waiting: 0 });
  });

  /** Raises an error in the database. */
  const raise = (code: string) => (tx: Transaction) =>
    tx.run(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${code}'; END $$`);

  test.each<[reason: string, fail: (tx: Transaction) => Promise<unknown>]>([
    ['serialization', raise('40001')],
    ['deadlock', raise('40P01')],
    [
      'conflict',
      (tx) =>
        tx.run(
          "DO $$ BEGIN RAISE unique_violation USING CONSTRAINT = 'idempotency_keys_pkey'; END $$",
        ),
    ],
    ['connection', (tx) => tx.run('SELECT pg_terminate_backend(pg_backend_pid())')],
  ])('counts the repetitions of a transaction by their reason: %s', async (reason, fail) => {
    let failures = 2;
    await db.write(async (tx) => {
      failures -= 1;
      if (failures >= 0) await fail(tx);
      await tx.run('SELECT 1');
    });
    const none = { serialization: 0, deadlock: 0, conflict: 0, connection: 0 };
    expect(db.connectionStatus.retries).toEqual({ ...none, [reason]: 2 });
  });

  test('does not count a transaction that fails for good', async () => {
    await expect(db.write(raise('22012'))).rejects.toThrow();
    expect(Object.values(db.connectionStatus.retries)).toEqual([0, 0, 0, 0]);
  });
});

describe('the metrics of the connections', () => {
  test('show each pool, without one whose state is unavailable', async () => {
    let engine: ConnectionStatus | null = {
      max: 5,
      idle: 1,
      inUse: 4,
      waiting: 7,
      retries: { serialization: 1, deadlock: 2, conflict: 3, connection: 4 },
      server: { host: 'db.example:5432', timeline: 7 },
    };
    const metrics = createDatabaseMetrics({
      api: async () => db.connectionStatus,
      engine: async () => engine,
    });
    const free = await useConnection();
    const read = async () => findSamples(readSamples(await metrics.read()), 'tradepost_database_');
    const ofApi = {
      'connections{pool="api",state="idle"}': 0,
      'connections{pool="api",state="in_use"}': 1,
      'connections_waiting{pool="api"}': 0,
      'connections_max{pool="api"}': 2,
      'transaction_retries_total{pool="api",reason="serialization"}': 0,
      'transaction_retries_total{pool="api",reason="deadlock"}': 0,
      'transaction_retries_total{pool="api",reason="conflict"}': 0,
      'transaction_retries_total{pool="api",reason="connection"}': 0,
      [`timeline{pool="api",host="${new URL(db.url).host}"}`]: 1,
    };
    const ofBoth = {
      ...ofApi,
      'connections{pool="engine",state="idle"}': 1,
      'connections{pool="engine",state="in_use"}': 4,
      'connections_waiting{pool="engine"}': 7,
      'connections_max{pool="engine"}': 5,
      'transaction_retries_total{pool="engine",reason="serialization"}': 1,
      'transaction_retries_total{pool="engine",reason="deadlock"}': 2,
      'transaction_retries_total{pool="engine",reason="conflict"}': 3,
      'transaction_retries_total{pool="engine",reason="connection"}': 4,
      'timeline{pool="engine",host="db.example:5432"}': 7,
    };
    expect(await read()).toEqual(ofBoth);
    expect(await read()).toEqual(ofBoth);
    engine = null;
    expect(await read()).toEqual(ofApi);
    await free();
  });
});
