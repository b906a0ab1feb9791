import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import Database from 'better-sqlite3';
import { beforeEach, expect, test } from 'vitest';
import { OperatorError } from '../../src/commands/operator-error';
import { withExistingStore, withStoreToRead } from '../../src/commands/with-store';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../helpers/temp-folder';
import { addCaller } from '../helpers/trade';

let file: string;

beforeEach(async () => {
  file = tempFile();
  await openSqliteStore(file).close();
});

test('an error of an open database names the file and says what to do', async () => {
  const writing = withStoreToRead(file, (store) => addCaller(store, 'buyer'));
  await expect(writing).rejects.toBeInstanceOf(StoreUnavailableError);
  await expect(writing).rejects.toThrow(
    `Cannot use the database ${file}: attempt to write a readonly database (SQLITE_READONLY). Check the permissions of the file and its folder.`,
  );
});

test('a lock that another process has is reported as such', async () => {
  const other = new Database(file);
  const writing = withExistingStore(file, (store) => {
    other.exec('BEGIN IMMEDIATE');
    return addCaller(store, 'buyer');
  });
  await expect(writing).rejects.toThrow(
    `Cannot use the database ${file}: database is locked (SQLITE_BUSY). Another process is writing to it. Try again.`,
  );
  other.close();
});

test('an error of the task stays as it is', async () => {
  const error = new OperatorError('There is no such account.');
  const failing = withExistingStore(file, () => Promise.reject(error));
  await expect(failing).rejects.toBe(error);
});
