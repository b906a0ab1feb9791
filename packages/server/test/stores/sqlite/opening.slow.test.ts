import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SqliteDatabase } from '../../../src/stores/sqlite/database';
import { currentSchemaVersion } from '../../../src/stores/sqlite/migrate';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { Child } from '../../helpers/child';
import { tempFile } from '../../helpers/temp-folder';
import { addCaller, Trade } from '../../helpers/trade';

/** Reads a database without the store, as an operator with a shell would. */
function inspect<Result>(file: string, read: (connection: Database.Database) => Result): Result {
  const connection = new Database(file);
  try {
    return read(connection);
  } finally {
    connection.close();
  }
}

function getSchema(file: string): unknown {
  return inspect(file, (connection) => ({
    version: connection.pragma('user_version', { simple: true }),
    parts: connection.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all(),
  }));
}

async function openAndClose(file: string): Promise<void> {
  await openSqliteStore(file).close();
}

describe('openSqliteStore', () => {
  test('creates the file with the newest schema', async () => {
    const file = tempFile();
    await openAndClose(file);
    expect(getSchema(file)).toMatchObject({ version: currentSchemaVersion });
    const tables = inspect(file, (connection) =>
      connection
        .prepare<[], { name: string; strict: number }>(
          "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'",
        )
        .all(),
    );
    expect(tables.length).toBeGreaterThan(0);
    for (const table of tables) expect(table, table.name).toMatchObject({ strict: 1 });
  });

  test('treats an empty file as a new database', async () => {
    const file = tempFile();
    writeFileSync(file, '');
    await openAndClose(file);
    expect(getSchema(file)).toMatchObject({ version: currentSchemaVersion });
  });

  test('does not change a database that has the newest schema', async () => {
    const file = tempFile();
    await openAndClose(file);
    const before = getSchema(file);
    await openAndClose(file);
    expect(getSchema(file)).toEqual(before);
  });

  test("rejects another program's database, whatever its schema version", () => {
    for (const version of [0, 1, 7]) {
      const file = tempFile();
      inspect(file, (connection) => {
        connection.exec(`CREATE TABLE recipes (name TEXT); PRAGMA user_version = ${version}`);
      });
      expect(() => openSqliteStore(file)).toThrow(StoreUnavailableError);
      expect(() => openSqliteStore(file)).toThrow('is a database of another program');
      expect(inspect(file, (db) => db.pragma('user_version', { simple: true }))).toBe(version);
      expect(getSchema(file)).toMatchObject({ parts: [{ name: 'recipes' }] });
    }
  });

  test('creates no file where one must exist', () => {
    const file = tempFile();
    for (const missing of [file, join(dirname(file), 'no-folder', 'trade.db')]) {
      const open = () => openSqliteStore(missing, { mustExist: true });
      expect(open).toThrow(StoreUnavailableError);
      expect(open).toThrow(`The database ${missing} does not exist. Check the path`);
    }
    expect(existsSync(file)).toBe(false);
  });

  test('rejects a blank name, because SQLite would store nothing', () => {
    expect(() => openSqliteStore('')).toThrow(StoreUnavailableError);
  });

  test('creates files that only their owner can access', async () => {
    const file = tempFile();
    const store = openSqliteStore(file);
    onTestFinished(() => store.close());
    await Trade.open(store);
    for (const name of [file, `${file}-wal`, `${file}-shm`]) {
      expect(statSync(name).mode & 0o777, name).toBe(0o600);
    }
  });

  test('leaves a single file once the store is closed', async () => {
    const file = tempFile();
    const store = openSqliteStore(file);
    await Trade.open(store);
    await store.close();
    expect(readdirSync(dirname(file))).toEqual(['tradepost.db']);
  });

  test('makes commits durable and enforces references', () => {
    const db = new SqliteDatabase(tempFile());
    onTestFinished(() => db.close());
    expect(db.get('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' });
    expect(db.get('PRAGMA synchronous')).toEqual({ synchronous: 2 });
    expect(db.get('PRAGMA foreign_keys')).toEqual({ foreign_keys: 1 });
  });

  test('opens separate stores in memory', async () => {
    const [one, other] = [openSqliteStore(':memory:'), openSqliteStore(':memory:')];
    const { accountId } = await addCaller(one, 'buyer');
    expect(await one.accounts.findAccount(accountId)).not.toBeNull();
    expect(await other.accounts.findAccount(accountId)).toBeNull();
    await Promise.all([one.close(), other.close()]);
  });

  test('rejects a database that a newer server has migrated, and does not change it', async () => {
    const file = tempFile();
    await openAndClose(file);
    inspect(file, (connection) => connection.pragma('user_version = 1000'));
    const before = readFileSync(file);
    expect(() => openSqliteStore(file)).toThrow(StoreUnavailableError);
    expect(() => openSqliteStore(file)).toThrow(
      `schema version 1000, but this server supports up to ${currentSchemaVersion}.`,
    );
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('closes a file that it rejects', async () => {
    const file = tempFile();
    await openAndClose(file);
    inspect(file, (connection) => connection.pragma('user_version = 1000'));
    expect(() => openSqliteStore(file)).toThrow(StoreUnavailableError);
    expect(readdirSync(dirname(file))).toEqual(['tradepost.db']);
  });

  test('rejects a file that is not a database, and does not change it', () => {
    const file = tempFile('shopping-list.txt');
    const text = 'coffee, tea, and other things that are no database\n'.repeat(100);
    writeFileSync(file, text);
    expect(() => openSqliteStore(file)).toThrow(StoreUnavailableError);
    expect(() => openSqliteStore(file)).toThrow(file);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('rejects a database whose pages are damaged', async () => {
    const file = tempFile();
    await openAndClose(file);
    const whole = readFileSync(file);
    writeFileSync(
      file,
      Buffer.concat([whole.subarray(0, 100), Buffer.alloc(whole.length - 100, 7)]),
    );
    expect(() => openSqliteStore(file)).toThrow(StoreUnavailableError);
  });

  test('rejects a path that cannot be a file, and names it', () => {
    const file = tempFile();
    mkdirSync(file);
    for (const path of [file, join(dirname(file), 'no-such-folder', 'tradepost.db')]) {
      expect(() => openSqliteStore(path), path).toThrow(StoreUnavailableError);
      expect(() => openSqliteStore(path), path).toThrow(path);
    }
  });

  test('opens a copy that was taken of a closed database', async () => {
    const file = tempFile();
    const store = openSqliteStore(file);
    const { accountId } = await addCaller(store, 'seller');
    await store.close();
    copyFileSync(file, `${file}.copy`);
    const copy = openSqliteStore(`${file}.copy`);
    expect(await copy.accounts.findAccount(accountId)).toMatchObject({ kind: 'seller' });
    await copy.close();
  });

  test("does not change the journal mode of another program's database", () => {
    const file = tempFile();
    inspect(file, (connection) => connection.exec('CREATE TABLE recipes (name TEXT)'));
    const before = readFileSync(file);
    expect(() => openSqliteStore(file)).toThrow('is a database of another program');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test.each(['missing', 'empty'])('creates a %s file, even if it may not migrate', async (what) => {
    const file = tempFile();
    if (what === 'empty') writeFileSync(file, '');
    await openSqliteStore(file, { mayMigrate: false }).close();
    expect(getSchema(file)).toMatchObject({ version: currentSchemaVersion });
    await openSqliteStore(file, { mayMigrate: false }).close();
  });

  test.each(['which may migrate', 'which may not'])(
    'migrates once when several processes, %s, open a new file at the same time',
    async (mode) => {
      const folder = dirname(tempFile());
      const files = Array.from({ length: 12 }, (_, index) => join(folder, `${index}.db`));
      const script = new URL('./open-process.ts', import.meta.url);
      const children = Array.from({ length: 4 }, () => new Child(script, mode, ...files));
      for (const child of children) expect(await child.readLine()).toBe('ready');
      for (const child of children) child.write('go');
      for (const child of children) expect(await child.readLine()).toBe('done');
      for (const file of files) {
        expect(getSchema(file)).toMatchObject({ version: currentSchemaVersion });
        const found = inspect(file, (connection) => ({
          accounts: connection.prepare('SELECT count(*) FROM accounts').pluck().get(),
          check: connection.pragma('integrity_check', { simple: true }),
        }));
        expect(found).toEqual({ accounts: children.length, check: 'ok' });
      }
    },
    30_000,
  );
});
