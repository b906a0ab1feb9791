import { chmodSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { backUpDatabase } from '../../../src/stores/sqlite/backup';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../../helpers/temp-folder';
import { addCaller } from '../../helpers/trade';
import { inspectFile } from './inspect-file';

let file: string;
let backup: string;
let accountId: string;

beforeEach(async () => {
  file = tempFile();
  backup = join(dirname(tempFile()), 'backup.db');
  const store = openSqliteStore(file);
  ({ accountId } = await addCaller(store, 'buyer'));
  await backUpDatabase({ from: file, to: backup });
  await store.close();
});

function openToRead(path: string) {
  const store = openSqliteStore(path, { readOnly: true });
  onTestFinished(() => store.close());
  return store;
}

async function readIds(path: string): Promise<string[]> {
  return (await openToRead(path).accounts.listAccounts()).map(({ id }) => id);
}

describe('a store that only reads', () => {
  test('reads a backup and does not change it', async () => {
    const before = readFileSync(backup);
    utimesSync(backup, 1, 1);
    const store = openSqliteStore(backup, { readOnly: true });
    expect((await store.accounts.listAccounts()).map(({ id }) => id)).toEqual([accountId]);
    expect(readdirSync(dirname(backup))).toEqual(['backup.db']);
    await store.close();
    expect(readFileSync(backup).equals(before)).toBe(true);
    expect(statSync(backup).mtimeMs).toBe(1_000);
  });

  test('reads what another store commits meanwhile', async () => {
    const writing = openSqliteStore(file);
    onTestFinished(() => writing.close());
    const reading = openToRead(file);
    const added = await addCaller(writing, 'seller');
    const ids = (await reading.accounts.listAccounts()).map(({ id }) => id);
    expect(ids).toEqual([added.accountId, accountId]);
  });

  test('rejects changes', async () => {
    const store = openToRead(file);
    await expect(addCaller(store, 'seller')).rejects.toThrow('readonly database');
    expect(await store.accounts.listAccounts()).toHaveLength(1);
  });

  test('reads a read-only backup in a read-only folder, and leaves no file there', async () => {
    chmodSync(backup, 0o400);
    chmodSync(dirname(backup), 0o500);
    onTestFinished(() => chmodSync(dirname(backup), 0o700));
    expect(await readIds(backup)).toEqual([accountId]);
    // The system lets root write to read-only files and folders.
    expect(readdirSync(dirname(backup))).toEqual(['backup.db']);
  });

  test('rejects a missing file and one of another program', () => {
    const other = tempFile();
    expect(() => openToRead(other)).toThrow(`The database ${other} does not exist.`);
    inspectFile(other, (connection) => connection.exec('CREATE TABLE recipes (name TEXT)'));
    expect(() => openToRead(other)).toThrow('is not a Tradepost database');
  });
});
