import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import { anIdempotencyKey, noon } from '@tradepost/domain/test/builders';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { copiedTableNames } from '../../../src/stores/copied-tables';
import { copyStore, type StoreCopyProgress } from '../../../src/stores/copy-store';
import { generateSecretKey, parseSecretKeys } from '../../../src/stores/encryption';
import { checkDatabase } from '../../../src/stores/postgres/check';
import { migrateDatabase } from '../../../src/stores/postgres/migrate';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import { copiedTables } from '../../../src/stores/records/tables';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import type { Store } from '../../../src/stores/store';
import { startCommitBreaker } from '../../helpers/commit-breaker';
import { difficultText, fillStore } from '../../helpers/fill-store';
import { leaseDue } from '../../helpers/leasing';
import { startPostgres } from '../../helpers/postgres';
import { tempFile } from '../../helpers/temp-folder';
import { addCaller, place, type Trade } from '../../helpers/trade';
import { inspectFile } from '../sqlite/inspect-file';

const postgres = await startPostgres();
afterAll(postgres.stop);

const secretKeys = parseSecretKeys(generateSecretKey());
const unfinished = 'has an unfinished copy of a SQLite database';
/** After the copies of these tests, and when everything in them that may be retried is due. */
const later = Date.now() + 60 * 60_000;
const all = { after: null, limit: 1_000 };

let file: string;
let url: string;
let trade: Trade;

beforeEach(async () => {
  file = tempFile();
  const store = openSqliteStore(file, { secretKeys });
  trade = await fillStore(store);
  await store.close();
  const database = await postgres.createDatabase();
  url = database.url;
  return () => database.remove();
});

async function query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function openCopy(): Promise<Store> {
  const store = await openPostgresStore(url, { secretKeys });
  onTestFinished(() => store.close());
  return store;
}

function openSource(): Store {
  const store = openSqliteStore(file, { secretKeys });
  onTestFinished(() => store.close());
  return store;
}

class Killed extends Error {}

/** Throws after the first batch that is committed, as if the process were killed there. */
function killAfterBatch(): (progress: StoreCopyProgress) => void {
  let before: StoreCopyProgress | undefined;
  return (progress) => {
    const isBatch = progress.step === 'copy' && progress.table === before?.table;
    before = progress;
    if (isBatch) throw new Killed(progress.table ?? '');
  };
}

/** Everything that accounts can read, except when deliveries are attempted next: those in flight become due. */
async function readStore(store: Store): Promise<unknown> {
  const findDelivery = async (accountId: string, id: string) => {
    const delivery = await store.deliveryLog.findDelivery(accountId, id);
    return { ...delivery, inProgress: undefined, nextAttemptAt: undefined };
  };
  const accounts = await store.accounts.listAccounts();
  const perAccount = accounts.map(async ({ id }) => ({
    keys: await store.accounts.listKeys(id),
    notifications: await store.notifications.listNotifications(id, {}, all),
    events: await store.events.readEvents(id, 0, 1_000),
    webhooks: (await store.webhooks.listWebhooks(id, all)).map((webhook) => ({
      ...webhook,
      secret: webhook.secret,
      stagedSecret: webhook.stagedSecret,
    })),
    deliveries: await Promise.all(
      (await store.deliveryLog.listDeliveries(id, {}, all)).map((delivery) =>
        findDelivery(id, delivery.id),
      ),
    ),
  }));
  return {
    accounts,
    listings: await store.listings.listListings(),
    orders: await store.orders.listOrders(trade.buyer, {}, all),
    perAccount: await Promise.all(perAccount),
  };
}

describe('copyStore', () => {
  test('copies everything that accounts can read, with encrypted secrets and difficult text', async () => {
    const { rows, isContinued } = await copyStore({ from: file, to: url });
    expect(isContinued).toBe(false);
    for (const table of copiedTableNames) {
      expect([table, await query(`SELECT count(*)::int FROM ${table}`)]).toEqual([
        table,
        [{ count: rows[table] }],
      ]);
      expect([table, rows[table]]).not.toEqual([table, 0]);
    }
    const source = openSource();
    const expected = JSON.stringify(await readStore(source), null, 1);
    expect(expected).toContain(JSON.stringify(difficultText).slice(1, -1));
    const copy = JSON.stringify(await readStore(await openCopy()), null, 1);
    expect(copy).toBe(expected.replaceAll('\\u0000', '\uFFFD'));
  });

  test('leaves nothing that the checks find', async () => {
    await copyStore({ from: file, to: url });
    const { checks } = await checkDatabase(url, Date.now());
    expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
  });

  test('makes the deliveries due that were in flight, with the same IDs', async () => {
    const inFlight = inspectFile(file, (db) =>
      db
        .prepare(
          `SELECT id FROM deliveries JOIN queues ON queues.webhook_id = deliveries.webhook_id
           WHERE lease_until IS NOT NULL AND NOT paused`,
        )
        .pluck()
        .all(),
    );
    expect(inFlight.length).toBeGreaterThan(1);
    await copyStore({ from: file, to: url });
    const store = await openCopy();
    expect(await store.deliveries.queueStatus(later)).toMatchObject({ inFlight: 0 });
    const leased = await leaseDue(store, later, 100);
    expect(leased.map(({ id }) => id)).toEqual(expect.arrayContaining(inFlight));
  });

  test('keeps the cursors of event logs valid, and numbers new events after the old ones', async () => {
    await copyStore({ from: file, to: url });
    const store = await openCopy();
    const { accountId } = trade.buyer;
    const old = await store.events.readEvents(accountId, 0, 1_000);
    const cursor = old.at(-1)?.seq ?? 0;
    // At the same time as the old ones, as if the clock of the new host were late.
    await place(store, trade.buyer, { listing: trade.listing, quantity: 1 });
    const added = await store.events.readEvents(accountId, cursor, 1_000);
    expect(added[0]?.seq).toBeGreaterThan(cursor);
    // The order and its approval task.
    expect(added).toHaveLength(2);
    expect(await store.events.readEvents(accountId, 0, 1_000)).toEqual([...old, ...added]);
  });

  test('keeps stored responses', async () => {
    await copyStore({ from: file, to: url });
    const idempotencyKey = anIdempotencyKey({ accountId: trade.buyer.accountId });
    const request = { listing: trade.listing, quantity: 1, idempotencyKey };
    expect(await place(await openCopy(), trade.buyer, request)).toMatchObject({ replayed: true });
  });

  test('leaves the source and its folder as they are', async () => {
    const before = readFileSync(file);
    await copyStore({ from: file, to: url });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(dirname(file))).toEqual(['tradepost.db']);
  });

  test('reads what a killed server left in its write-ahead log, and leaves the log as it is', async () => {
    const store = openSource();
    await place(store, trade.buyer, { listing: trade.listing, quantity: 1 });
    const crashed = tempFile('crashed.db');
    const files = [crashed, `${crashed}-wal`];
    copyFileSync(file, crashed);
    copyFileSync(`${file}-wal`, `${crashed}-wal`);
    const before = files.map((path) => readFileSync(path));
    const { rows } = await copyStore({ from: crashed, to: url });
    expect(rows.orders).toBe(6);
    expect(files.map((path) => readFileSync(path))).toEqual(before);
  });

  test('continues after it was killed at each batch, and locks out every use until the end', async () => {
    const killedIn = new Set<string>();
    for (let runs = 1; ; runs += 1) {
      try {
        const { isContinued } = await copyStore({
          from: file,
          to: url,
          batchRows: 3,
          onProgress: killAfterBatch(),
        });
        expect(isContinued).toBe(true);
        break;
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        killedIn.add(error.message);
        if (runs === 1 || killedIn.size === copiedTableNames.length) {
          await expect(openPostgresStore(url)).rejects.toThrow(unfinished);
          await expect(openPostgresStore(url, { mayMigrate: false })).rejects.toThrow(unfinished);
          await expect(migrateDatabase(url, { dryRun: true })).rejects.toThrow(unfinished);
          await expect(checkDatabase(url, noon)).rejects.toThrow(unfinished);
        }
      }
    }
    expect([...killedIn]).toEqual([...copiedTableNames]);
    expect(await readStore(await openCopy())).toMatchObject({ accounts: expect.any(Array) });
  });

  test.each(['before the commit', 'after the commit'] as const)(
    'survives a connection that breaks %s of a batch',
    async (at) => {
      const proxy = await startCommitBreaker(url);
      onTestFinished(() => proxy.close());
      let batches = 0;
      await copyStore({
        from: file,
        to: proxy.url,
        batchRows: 3,
        onProgress: ({ step }) => {
          batches += 1;
          if (step === 'copy' && batches % 5 === 0) proxy.breakNext(at);
        },
      });
      expect(proxy.broken).toBeGreaterThan(3);
      expect(await readStore(await openCopy())).toMatchObject({ accounts: expect.any(Array) });
    },
  );

  test('says how to continue after the connection was lost for good', async () => {
    const proxy = await startCommitBreaker(url);
    let closed: Promise<void> | undefined;
    const copy = copyStore({
      from: file,
      to: proxy.url,
      batchRows: 3,
      onProgress({ table }) {
        if (table === 'events') closed ??= proxy.close();
      },
    });
    await expect(copy).rejects.toThrow(
      /^PostgreSQL: .+ECONNREFUSED.+\. The copy is unfinished\. Run the same command again to continue it\.$/,
    );
    await closed;
    expect(await copyStore({ from: file, to: url })).toMatchObject({ isContinued: true });
  });

  test('continues after the disk of PostgreSQL was full', async () => {
    await migrateDatabase(url, { dryRun: false });
    await query(`CREATE FUNCTION fill_disk() RETURNS TRIGGER LANGUAGE plpgsql AS $$
        BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
      CREATE TRIGGER full_disk BEFORE INSERT ON attempts EXECUTE FUNCTION fill_disk()`);
    await expect(copyStore({ from: file, to: url })).rejects.toThrow(
      'PostgreSQL: could not extend file (53100). The copy is unfinished.',
    );
    await query('DROP TRIGGER full_disk ON attempts');
    expect(await copyStore({ from: file, to: url })).toMatchObject({ isContinued: true });
  });

  test('explains that it may not create tables', async () => {
    const other = new URL(url);
    other.username = `reader_${other.pathname.slice(-12)}`;
    other.password = 'reader';
    await query(`CREATE ROLE ${other.username} LOGIN PASSWORD 'reader'`);
    try {
      await expect(copyStore({ from: file, to: other.href })).rejects.toThrow(
        'The user needs the privileges to use and create tables in its schema.',
      );
    } finally {
      await query(`DROP ROLE ${other.username}`);
    }
  });

  test('stops at a signal, and continues from there', async () => {
    const controller = new AbortController();
    const stopped = new Error('stopped');
    const stop = copyStore({
      from: file,
      to: url,
      batchRows: 2,
      signal: controller.signal,
      onProgress: ({ table }) => {
        if (table === 'deliveries') controller.abort(stopped);
      },
    });
    await expect(stop).rejects.toBe(stopped);
    expect((await query('SELECT 1 FROM events LIMIT 1')).length).toBe(1);
    expect(await copyStore({ from: file, to: url })).toMatchObject({ isContinued: true });
  });

  test('rejects an unfinished copy of another source, or of one that has changed', async () => {
    const request = { from: file, to: url, batchRows: 3 };
    await expect(copyStore({ ...request, onProgress: killAfterBatch() })).rejects.toThrow(Killed);
    inspectFile(file, (db) => db.exec("UPDATE accounts SET name = 'Another name'"));
    await expect(copyStore(request)).rejects.toThrow('of another SQLite database, or the file has');
    await expect(copyStore({ ...request, dryRun: true })).rejects.toThrow('of another SQLite');
  });

  test('lets the last one of two that run at once continue, and copies each row once', async () => {
    let second: ReturnType<typeof copyStore> | undefined;
    const other = tempFile('other.db');
    inspectFile(file, (db) => db.exec(`VACUUM INTO '${other}'`));
    const first = copyStore({
      from: file,
      to: url,
      batchRows: 1,
      onProgress: ({ table }) => {
        if (table === 'events') second ??= copyStore({ from: other, to: url, batchRows: 1 });
      },
    });
    await expect(first).rejects.toThrow('Another process continues the copy');
    expect(await second).toMatchObject({ isContinued: true });
    expect(await readStore(await openCopy())).toMatchObject({ accounts: expect.any(Array) });
  });

  test('copies to an empty database once, of two that start at once', async () => {
    const other = tempFile('other.db');
    inspectFile(file, (db) => db.exec(`VACUUM INTO '${other}'`));
    const results = await Promise.allSettled([
      copyStore({ from: file, to: url, batchRows: 1 }),
      copyStore({ from: other, to: url, batchRows: 1 }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await readStore(await openCopy())).toMatchObject({ accounts: expect.any(Array) });
  });

  test.each([
    ['a changed row', "UPDATE orders SET quantity = quantity + 1 WHERE status = 'completed'"],
    ['changed text', `UPDATE orders SET status = 'Completed' WHERE status = 'completed'`],
    ['a missing row', `DELETE FROM orders WHERE status = 'completed'`],
    [
      'a surplus row',
      `INSERT INTO orders SELECT 'ord_1', status, buyer_id, seller_id, agent_id, listing_id, quantity, version, created_at, updated_at FROM orders LIMIT 1`,
    ],
  ])('finds %s at the end, names the table and stays unfinished', async (_what, sql) => {
    const request = { from: file, to: url };
    await expect(
      copyStore({
        ...request,
        onProgress({ step }) {
          if (step === 'verify') throw new Killed();
        },
      }),
    ).rejects.toThrow(Killed);
    await query(sql);
    await expect(copyStore(request)).rejects.toThrow(
      /^The table orders of postgres:\S+ differs from the source: it/,
    );
    await expect(openPostgresStore(url)).rejects.toThrow(unfinished);
  });

  test('compares every column of each table', async () => {
    await copyStore({ from: file, to: url });
    // The position is assigned by PostgreSQL.
    const columns = await query<{ table: string; name: string }>(
      `SELECT table_name AS table, column_name AS name FROM information_schema.columns
       WHERE table_schema = current_schema() AND column_name <> 'position'`,
    );
    for (const table of copiedTableNames) {
      const expected = columns.filter((column) => column.table === table).map(({ name }) => name);
      expect([table, [...copiedTables[table].names].sort()]).toEqual([table, expected.sort()]);
    }
  });

  test('rejects a database that has rows, or a complete copy', async () => {
    const store = await openPostgresStore(url);
    await addCaller(store, 'buyer');
    await store.close();
    await expect(copyStore({ from: file, to: url })).rejects.toThrow('its table accounts has rows');
    await query('DELETE FROM api_keys');
    await query('DELETE FROM accounts');
    await copyStore({ from: file, to: url });
    await expect(copyStore({ from: file, to: url })).rejects.toThrow(
      'it has a complete copy already',
    );
  });

  test("rejects another program's database", async () => {
    await query('CREATE TABLE recipes (name TEXT)');
    await expect(copyStore({ from: file, to: url })).rejects.toThrow('tables of another program');
  });

  test('rejects a source that is in use, missing or of an older schema', async () => {
    const store = openSource();
    await expect(copyStore({ from: file, to: url })).rejects.toThrow(
      `${file} is in use by another process. Stop the server, and try again.`,
    );
    await store.close();
    await expect(copyStore({ from: `${file}.none`, to: url })).rejects.toThrow('does not exist');
    inspectFile(file, (db) => db.pragma('user_version = 1'));
    await expect(copyStore({ from: file, to: url })).rejects.toThrow('has schema version 1');
    expect(await query('SELECT 1 FROM pg_tables WHERE schemaname = current_schema()')).toEqual([]);
  });

  test('locks the source while it copies', async () => {
    const attempts: unknown[] = [];
    await copyStore({
      from: file,
      to: url,
      onProgress({ table }) {
        if (table !== 'events' || attempts.length > 0) return;
        try {
          inspectFile(file, (db) => {
            db.pragma('busy_timeout = 0');
            db.exec('SELECT 1 FROM accounts');
          });
          attempts.push('read');
        } catch (error) {
          attempts.push(error);
        }
      },
    });
    expect(attempts).toMatchObject([{ code: 'SQLITE_BUSY' }]);
  });

  test('only checks both sides in a dry run', async () => {
    const { rows } = await copyStore({ from: file, to: url, dryRun: true });
    expect(rows.orders).toBe(5);
    expect(await query('SELECT 1 FROM pg_tables WHERE schemaname = current_schema()')).toEqual([]);
  });

  test('reports a database that cannot be reached', async () => {
    const closed = new URL(url);
    closed.port = '1';
    await expect(copyStore({ from: file, to: closed.href })).rejects.toThrow(StoreUnavailableError);
  });
});
