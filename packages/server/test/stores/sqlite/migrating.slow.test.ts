import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import { anAccount, noon } from '@tradepost/domain/test/builders';
import { expect, onTestFinished, test, vi } from 'vitest';
import { checkDatabase } from '../../../src/stores/sqlite/check';
import { ruleGroups } from '../../../src/stores/sqlite/check-rules';
import { currentSchemaVersion } from '../../../src/stores/sqlite/migrate';
import type * as current from '../../../src/stores/sqlite/migrations/migrations';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../../helpers/temp-folder';
import { checkIntegrity, inspectFile, sound } from './inspect-file';
import { makeFirstSchema } from './migrations';

vi.mock('../../../src/stores/sqlite/migrations/migrations', async (load) => {
  const { addNotes } = await import('./migrations');
  return { migrations: addNotes((await load<typeof current>()).migrations) };
});

test('a SQLite file of the first schema is migrated to the newest, keeps its rows, and is sound', async () => {
  const file = tempFile();
  makeFirstSchema(file);
  const store = openSqliteStore(file);
  onTestFinished(() => store.close());
  const account = anAccount({ id: 'usr_1', name: 'Buyer' });
  expect(await store.accounts.listAccounts()).toEqual([account]);
  inspectFile(file, (connection) => {
    expect(connection.pragma('user_version', { simple: true })).toBe(currentSchemaVersion);
    expect(connection.prepare('SELECT note FROM accounts').all()).toEqual([{ note: 'of Buyer' }]);
  });
  expect(checkIntegrity(file)).toEqual(sound);
});

test('rejects an older schema, and changes nothing, if it may not migrate', () => {
  const file = tempFile();
  makeFirstSchema(file);
  const before = readFileSync(file);
  for (const mustExist of [false, true]) {
    const open = () => openSqliteStore(file, { mustExist, mayMigrate: false });
    expect(open).toThrow(StoreUnavailableError);
    expect(open).toThrow(
      `The database ${file} has schema version 1; this version needs ${currentSchemaVersion}. Make a backup, stop the servers of the old version, then run tradepost-server migrate --database ${file}.`,
    );
  }
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readdirSync(dirname(file))).toEqual(['tradepost.db']);
});

test('rejects an older schema, and changes nothing, if it only reads', () => {
  const old = tempFile();
  makeFirstSchema(old);
  const before = readFileSync(old);
  expect(() => openSqliteStore(old, { readOnly: true })).toThrow(
    'has schema version 1; this version needs',
  );
  expect(readFileSync(old).equals(before)).toBe(true);
  expect(readdirSync(dirname(old))).toHaveLength(1);
});

test('checks only what does not depend on the schema in an older database', async () => {
  const old = tempFile('old.db');
  makeFirstSchema(old);
  const { schemaVersion, checks } = await checkDatabase(old, noon);
  expect(schemaVersion).toBe(1);
  expect(checks.map(({ result }) => result)).toEqual([
    'ok',
    'ok',
    ...ruleGroups.map(() => 'skipped'),
  ]);
});
