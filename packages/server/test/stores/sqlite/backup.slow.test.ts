import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { leaseMs } from '@tradepost/domain/deliveries/delivery';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import { noon } from '@tradepost/domain/test/builders';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { backUpDatabase, restoreDatabase } from '../../../src/stores/sqlite/backup';
import { checkDatabase } from '../../../src/stores/sqlite/check';
import { migrateDatabase } from '../../../src/stores/sqlite/database-file';
import { tryLock } from '../../../src/stores/sqlite/file-lock';
import { currentSchemaVersion } from '../../../src/stores/sqlite/migrate';
import type * as current from '../../../src/stores/sqlite/migrations/migrations';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import type { Store } from '../../../src/stores/store';
import { Child } from '../../helpers/child';
import { leaseDue } from '../../helpers/leasing';
import { tempFile } from '../../helpers/temp-folder';
import { Trade } from '../../helpers/trade';
import { fillDatabase } from './fill-database';
import { inspectFile, readContents } from './inspect-file';
import { makeFirstSchema } from './migrations';

vi.mock('../../../src/stores/sqlite/migrations/migrations', async (load) => {
  const { addNotes } = await import('./migrations');
  return { migrations: addNotes((await load<typeof current>()).migrations) };
});

let database: string;
let backup: string;
let store: Store;
let trade: Trade;

beforeEach(async () => {
  database = tempFile();
  backup = join(dirname(database), 'backup.db');
  store = openSqliteStore(database);
  onTestFinished(() => store.close());
  trade = await Trade.open(store);
  await trade.subscribe(trade.buyer, ['order.created']);
  await trade.place();
});

const list = () => readdirSync(dirname(database)).sort();

/** Returns a digest of each file. The shared memory of an open database is no content. */
function readFiles(): [string, string][] {
  return list()
    .filter((name) => !name.endsWith('-shm'))
    .map((name) => {
      const path = join(dirname(database), name);
      const content = statSync(path).isFile() ? readFileSync(path) : '';
      return [name, createHash('sha256').update(content).digest('hex')];
    });
}

/** Runs a copy that must fail, and returns the message. Expects no file to be changed. */
async function getFailure(copy: () => Promise<unknown>): Promise<string> {
  const before = readFiles();
  const error = await copy().then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreUnavailableError);
  expect(readFiles()).toEqual(before);
  return (error as Error).message;
}

const newerVersion = currentSchemaVersion + 1;
const newerSchemaMessage = `has schema version ${newerVersion}, but this server supports up to ${currentSchemaVersion}`;

/** Sets the schema version of a database. */
const setVersion = (file: string, version: number) =>
  inspectFile(file, (connection) => connection.pragma(`user_version = ${version}`));

describe('backUpDatabase', () => {
  test('copies everything that is committed, while a store is open, to one private file', async () => {
    const before = readContents(database);
    const copy = await backUpDatabase({ from: database, to: backup });
    expect(copy).toMatchObject({
      file: backup,
      bytes: statSync(backup).size,
      schemaVersion: currentSchemaVersion,
      rows: { accounts: 3, orders: 1, deliveries: 1, webhooks: 1 },
    });
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    // Bytes 18 and 19 are 1 for a database without a write-ahead log, which can be read from read-only media.
    expect([...readFileSync(backup).subarray(18, 20)]).toEqual([1, 1]);
    expect(list()).toEqual([
      'backup.db',
      ...['tradepost.db', 'tradepost.db-shm', 'tradepost.db-wal'],
    ]);
    expect(readContents(backup)).toEqual(before);
  });

  test('replaces an existing backup only if it may', async () => {
    await backUpDatabase({ from: database, to: backup });
    await trade.place();
    const again = () => backUpDatabase({ from: database, to: backup });
    expect(await getFailure(again)).toContain('exists and was not changed. Pass --force');
    chmodSync(backup, 0o644);
    const { rows } = await backUpDatabase({ from: database, to: backup, overwrite: true });
    expect(rows.orders).toBe(2);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
  });

  test('never replaces a database that a store has open, nor the database itself', async () => {
    const other = openSqliteStore(backup);
    onTestFinished(() => other.close());
    const replacing = () => backUpDatabase({ from: database, to: backup, overwrite: true });
    expect(await getFailure(replacing)).toContain('is in use by another process');
    for (const file of [database, `${database}-wal`, `${dirname(database)}/./tradepost.db`]) {
      const itself = () => backUpDatabase({ from: database, to: file, overwrite: true });
      expect(await getFailure(itself)).toContain(
        file.endsWith('-wal')
          ? 'belongs to the database'
          : `${file} is the database itself. Pass another file.`,
      );
    }
  });

  test.each([
    ['a text', 'Dear friend, this is a letter. '.repeat(200), 'is not a readable database'],
    ['a short text', 'Dear friend', 'is not a readable database'],
  ])('does not replace %s', async (_what, text, message) => {
    writeFileSync(backup, text);
    const replacing = () => backUpDatabase({ from: database, to: backup, overwrite: true });
    expect(await getFailure(replacing)).toContain(message);
  });

  test("does not replace another program's database", async () => {
    inspectFile(backup, (connection) => connection.exec('CREATE TABLE recipes (name TEXT)'));
    const replacing = () => backUpDatabase({ from: database, to: backup, overwrite: true });
    expect(await getFailure(replacing)).toContain('is a database of another program');
  });

  test('replaces an empty file, such as one that mktemp created', async () => {
    writeFileSync(backup, '');
    await backUpDatabase({ from: database, to: backup, overwrite: true });
    expect(readContents(backup)).toEqual(readContents(database));
  });

  test('rejects a file in a missing folder, and a folder', async () => {
    const missing = join(dirname(database), 'missing', 'backup.db');
    const intoMissing = () => backUpDatabase({ from: database, to: missing });
    expect(await getFailure(intoMissing)).toBe(
      `Cannot write ${missing}: its folder does not exist. Nothing was changed.`,
    );
    mkdirSync(backup);
    const intoFolder = () => backUpDatabase({ from: database, to: backup });
    expect(await getFailure(intoFolder)).toBe(`${backup} is not a file.`);
  });

  test('rejects a database that is missing, not one, or of a newer server', async () => {
    const missing = join(dirname(database), 'missing.db');
    expect(await getFailure(() => backUpDatabase({ from: missing, to: backup }))).toContain(
      `The database ${missing} does not exist.`,
    );
    expect(existsSync(missing)).toBe(false);
    await store.close();
    store = openSqliteStore(':memory:');
    setVersion(database, newerVersion);
    expect(await getFailure(() => backUpDatabase({ from: database, to: backup }))).toContain(
      newerSchemaMessage,
    );
    writeFileSync(missing, 'Dear friend');
    expect(await getFailure(() => backUpDatabase({ from: missing, to: backup }))).toContain(
      'file is not a database',
    );
  });

  test('rejects a damaged database', async () => {
    const damaged = join(dirname(database), 'damaged.db');
    await backUpDatabase({ from: database, to: damaged });
    const bytes = readFileSync(damaged);
    // A page in the middle of the file.
    bytes.fill(0xff, 4_096 * 20, 4_096 * 21);
    writeFileSync(damaged, bytes);
    expect(await getFailure(() => backUpDatabase({ from: damaged, to: backup }))).toMatch(
      /damaged\.db is damaged: (?!\*).+ Nothing was changed\. Run/,
    );
  });

  test('does not migrate an older database', async () => {
    const old = join(dirname(database), 'old.db');
    makeFirstSchema(old);
    const before = readContents(old);
    expect(await backUpDatabase({ from: old, to: backup })).toMatchObject({ schemaVersion: 1 });
    for (const file of [old, backup]) {
      expect(inspectFile(file, (db) => db.pragma('user_version', { simple: true }))).toBe(1);
      expect(readContents(file)).toEqual(before);
    }
  });

  test('leaves nothing when it is stopped', async () => {
    const before = list();
    const reason = new Error('stopped');
    const copy = backUpDatabase({
      from: database,
      to: backup,
      signal: AbortSignal.abort(reason),
    });
    await expect(copy).rejects.toBe(reason);
    expect(list()).toEqual(before);
  });

  test('removes what a killed process left of the same file, and nothing else', async () => {
    const folder = dirname(database);
    const nameParts = (name: string) => {
      const part = `${name}.${randomUUID()}.partial`;
      return [part, `${part}-journal`, `${part}-lock`];
    };
    const [running, ended] = [nameParts('backup.db'), nameParts('backup.db')];
    const others = [...nameParts('other.db'), 'backup.db.old.partial'];
    for (const name of [...running, ...ended, ...others]) writeFileSync(join(folder, name), '');
    const lock = tryLock(join(folder, running.at(-1) ?? ''));
    onTestFinished(() => void lock?.close());
    await backUpDatabase({ from: database, to: backup });
    const parts = list().filter((name) => name.includes('partial'));
    expect(parts).toEqual([...running, ...others].sort());
  });

  test('writes complete copies, also if several processes write the same file at once', async () => {
    const request = { from: database, to: backup, overwrite: true };
    const copies = await Promise.all([1, 2, 3].map(() => backUpDatabase(request)));
    for (const copy of copies) expect(copy).toEqual(copies[0]);
    expect(list().filter((name) => name.includes('partial'))).toEqual([]);
    expect(await checkDatabase(backup, noon)).toMatchObject({
      checks: expect.not.arrayContaining([expect.objectContaining({ result: 'problem' })]),
    });
  });

  test('rejects a database whose schema is not complete', async () => {
    const connection = new Database(database);
    connection.exec('DROP INDEX orders_of_buyer');
    connection.close();
    const copying = backUpDatabase({ from: database, to: backup });
    await expect(copying).rejects.toThrow('is damaged: index orders_of_buyer is missing.');
    expect(existsSync(backup)).toBe(false);
  });

  test('ends beside a process that commits all the time, with the state in which it began', async () => {
    fillDatabase(database, 50);
    const child = new Child(new URL('./writing-process.ts', import.meta.url), database);
    await child.readLine();
    const readCounts = (file: string) =>
      inspectFile(file, (connection) =>
        connection
          .prepare<[], number>(
            `SELECT json_extract(body, '$.count') FROM events WHERE id IN ('evt_last', 'evt_000000')`,
          )
          .pluck()
          .all(),
      );
    const copying = backUpDatabase({ from: database, to: backup });
    const [startedWith = 0] = readCounts(database);
    await copying;
    // The process was not stopped by it.
    while (readCounts(database)[0] === startedWith) await child.readLine();
    const [first, last] = readCounts(backup);
    expect(first).toBe(last);
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThanOrEqual(startedWith);
    const { checks } = await checkDatabase(backup, noon);
    expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
  }, 60_000);
});

describe('restoreDatabase', () => {
  let expected: unknown;

  beforeEach(async () => {
    await backUpDatabase({ from: database, to: backup });
    expected = readContents(backup);
    await trade.place();
  });

  test('replaces a database by the backup, and keeps its permissions', async () => {
    await store.close();
    store = openSqliteStore(':memory:');
    chmodSync(database, 0o640);
    const copy = await restoreDatabase({ from: backup, to: database, overwrite: true });
    expect(copy).toMatchObject({ file: database, rows: { orders: 1 } });
    expect(list()).toEqual(['backup.db', 'tradepost.db']);
    expect(readContents(database)).toEqual(expected);
    expect(statSync(database).mode & 0o777).toBe(0o640);
  });

  test('creates a missing database, readable only by its owner', async () => {
    const other = join(dirname(database), 'other.db');
    await restoreDatabase({ from: backup, to: other });
    expect(readContents(other)).toEqual(expected);
    expect(statSync(other).mode & 0o777).toBe(0o600);
  });

  test('replaces the target of a symbolic link', async () => {
    const link = join(dirname(database), 'link.db');
    symlinkSync('other.db', link);
    writeFileSync(join(dirname(database), 'other.db'), '');
    await restoreDatabase({ from: backup, to: link, overwrite: true });
    expect(readContents(join(dirname(database), 'other.db'))).toEqual(expected);
    expect(readContents(link)).toEqual(expected);
  });

  test('never replaces a database that a store has open', async () => {
    const replacing = () => restoreDatabase({ from: backup, to: database, overwrite: true });
    expect(await getFailure(replacing)).toBe(
      `${database} is in use by another process and was not changed. Stop the server, and try again.`,
    );
    await trade.place();
    expect(await checkDatabase(database, noon)).toMatchObject({
      schemaVersion: currentSchemaVersion,
    });
  });

  test('does not replace a database unless it may', async () => {
    await store.close();
    store = openSqliteStore(':memory:');
    const replacing = () => restoreDatabase({ from: backup, to: database });
    expect(await getFailure(replacing)).toContain('exists and was not changed. Pass --force');
  });

  test('does not apply the log of a process that was killed to the restored database', async () => {
    await store.close();
    store = openSqliteStore(':memory:');
    const child = new Child(new URL('./writing-process.ts', import.meta.url), database);
    await child.readLine();
    await child.crash();
    expect(list()).toContain('tradepost.db-wal');
    await restoreDatabase({ from: backup, to: database, overwrite: true });
    expect(list()).toEqual(['backup.db', 'tradepost.db']);
    expect(readContents(database)).toEqual(expected);
  });

  test('does not remove the log of a missing database unless it may', async () => {
    const missing = join(dirname(database), 'missing.db');
    writeFileSync(`${missing}-wal`, 'a log');
    const failure = await getFailure(() => restoreDatabase({ from: backup, to: missing }));
    expect(failure).toContain(`${missing} does not exist, but ${missing}-wal does.`);
    await restoreDatabase({ from: backup, to: missing, overwrite: true });
    expect(existsSync(`${missing}-wal`)).toBe(false);
    expect(readContents(missing)).toEqual(expected);
  });

  test('does not let a process that has just opened the old file write to it', async () => {
    await store.close();
    store = openSqliteStore(':memory:');
    // Open, but without a lock: as a server that starts at this time.
    const waiting = new Database(database);
    onTestFinished(() => {
      waiting.close();
    });
    await restoreDatabase({ from: backup, to: database, overwrite: true });
    expect(() => waiting.pragma('journal_mode = WAL')).toThrow('readonly database');
    expect(readContents(database)).toEqual(expected);
  });

  test.each([
    ['is missing', () => join(dirname(backup), 'missing'), 'does not exist. Check the path.'],
    [
      'is empty',
      () => {
        writeFileSync(backup, '');
        return backup;
      },
      'is not a Tradepost database',
    ],
    [
      'is a text',
      () => {
        writeFileSync(backup, 'Dear friend');
        return backup;
      },
      'file is not a database',
    ],
    [
      'is truncated',
      () => {
        truncateSync(backup, statSync(backup).size / 2);
        return backup;
      },
      'database disk image is malformed (SQLITE_CORRUPT). Run `tradepost-server check`, or restore a backup.',
    ],
    [
      'belongs to another program',
      () => {
        const other = join(dirname(backup), 'other.db');
        inspectFile(other, (connection) => connection.exec('CREATE TABLE recipes (name TEXT)'));
        return other;
      },
      'is not a Tradepost database',
    ],
    [
      'has a newer schema',
      () => {
        setVersion(backup, newerVersion);
        return backup;
      },
      newerSchemaMessage,
    ],
    ['is the database itself', () => database, 'is the database itself. Pass another file.'],
  ])('changes nothing if the backup %s', async (_what, prepare, message) => {
    await store.close();
    store = openSqliteStore(':memory:');
    const from = prepare();
    const replacing = () => restoreDatabase({ from, to: database, overwrite: true });
    expect(await getFailure(replacing)).toContain(message);
  });

  test('restores a backup of an older server, which the next start migrates', async () => {
    const old = join(dirname(database), 'old.db');
    const other = join(dirname(database), 'other.db');
    makeFirstSchema(old);
    expect(await restoreDatabase({ from: old, to: other })).toMatchObject({ schemaVersion: 1 });
    await openSqliteStore(other).close();
    expect(await checkDatabase(other, noon)).toMatchObject({ schemaVersion: currentSchemaVersion });
  });

  test('makes a delivery again that was in flight during the backup, once its lease ends', async () => {
    const leased = await leaseDue(store, noon);
    const other = join(dirname(database), 'other.db');
    await backUpDatabase({ from: database, to: backup, overwrite: true });
    await restoreDatabase({ from: backup, to: other });
    const restored = openSqliteStore(other);
    onTestFinished(() => restored.close());
    await restored.deliveries.resetStaleLeases(noon);
    expect(await leaseDue(restored, noon)).toEqual([]);
    const again = await leaseDue(restored, noon + leaseMs);
    expect(again.map(({ id }) => id).sort()).toEqual(leased.map(({ id }) => id).sort());
    const { checks } = await checkDatabase(other, noon);
    expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
  });
});

describe('migrateDatabase', () => {
  test('migrates an older database, and only says so in a dry run', async () => {
    const old = join(dirname(database), 'old.db');
    makeFirstSchema(old);
    const before = readFileSync(old);
    expect(await migrateDatabase(old, { dryRun: true })).toEqual({
      from: 1,
      to: currentSchemaVersion,
    });
    expect(readFileSync(old)).toEqual(before);
    expect(await migrateDatabase(old, { dryRun: false })).toEqual({
      from: 1,
      to: currentSchemaVersion,
    });
    expect(await migrateDatabase(old, { dryRun: false })).toEqual({
      from: currentSchemaVersion,
      to: currentSchemaVersion,
    });
    const { checks } = await checkDatabase(old, noon);
    expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
  });

  test('rejects an older database that a server has open, and changes nothing', async () => {
    const old = join(dirname(database), 'old.db');
    makeFirstSchema(old);
    const server = new Database(old);
    server.pragma('journal_mode = WAL');
    server.prepare('SELECT 1 FROM accounts').all();
    const migrating = () => migrateDatabase(old, { dryRun: false });
    expect(await getFailure(migrating)).toBe(
      `${old} is in use by another process and was not changed. Stop the server, and try again.`,
    );
    server.close();
    expect(await migrating()).toEqual({ from: 1, to: currentSchemaVersion });
    // One that has the current schema already may be in use.
    expect(await migrateDatabase(database, { dryRun: false })).toMatchObject({
      from: currentSchemaVersion,
    });
  });

  test('rejects a newer database and one of another program', async () => {
    const other = join(dirname(database), 'other.db');
    inspectFile(other, (connection) => connection.exec('CREATE TABLE recipes (name TEXT)'));
    setVersion(database, newerVersion);
    for (const file of [database, other]) {
      for (const dryRun of [true, false]) {
        await expect(migrateDatabase(file, { dryRun }), basename(file)).rejects.toThrow(
          file === other ? 'is not a Tradepost database' : newerSchemaMessage,
        );
      }
    }
  });
});
