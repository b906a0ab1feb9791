import { noon } from '@tradepost/domain/test/builders';
import { expect, onTestFinished, test } from 'vitest';
import { checkDatabase } from '../../../src/stores/sqlite/check';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../../helpers/temp-folder';
import { inspectFile } from './inspect-file';
import { makeFirstSchema } from './migrations';

test('keys of the first schema have no name and no maker, and are no sessions', async () => {
  const file = tempFile();
  makeFirstSchema(file);
  inspectFile(file, (connection) => {
    connection.exec(`INSERT INTO api_keys VALUES
      ('key_1', 'usr_1', 'hash 1', 'tpk_1…', 1, ${noon}, ${noon + 1}, NULL, ${noon}),
      ('key_2', 'usr_1', 'hash 2', 'tpk_2…', 0, ${noon}, NULL, ${noon + 2}, NULL)`);
  });
  const store = openSqliteStore(file);
  onTestFinished(() => store.close());
  const of = { accountId: 'usr_1', name: null, isSession: false, parentId: null, createdAt: noon };
  expect(await store.accounts.listKeys()).toEqual([
    {
      ...of,
      id: 'key_2',
      hash: 'hash 2',
      prefix: 'tpk_2…',
      readOnly: false,
      expiresAt: null,
      revokedAt: noon + 2,
      lastUsedAt: null,
    },
    {
      ...of,
      id: 'key_1',
      hash: 'hash 1',
      prefix: 'tpk_1…',
      readOnly: true,
      expiresAt: noon + 1,
      revokedAt: null,
      lastUsedAt: noon,
    },
  ]);
  const code = { hash: 'code', keyId: 'key_1', createdAt: noon, expiresAt: noon + 1 };
  await store.signIns.addCode(code);
  const { checks } = await checkDatabase(file, noon);
  expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
});
