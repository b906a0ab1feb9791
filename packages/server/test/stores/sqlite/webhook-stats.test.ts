import { noon } from '@tradepost/domain/test/builders';
import { expect, onTestFinished, test } from 'vitest';
import { checkDatabase } from '../../../src/stores/sqlite/check';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../../helpers/temp-folder';
import { migrateWithData } from '../stats-migration';
import { inspectFile } from './inspect-file';

test('a file of the first schema gets statistics, which count from then on', async () => {
  const file = tempFile();
  const revert = () =>
    inspectFile(file, (connection) => {
      connection.exec('DROP TABLE webhook_stats; PRAGMA user_version = 1');
    });
  const store = await migrateWithData(() => openSqliteStore(file), revert);
  onTestFinished(() => store.close());
  const { checks } = await checkDatabase(file, noon);
  expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
});
