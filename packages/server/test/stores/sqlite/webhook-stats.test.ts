import { noon } from '@tradepost/domain/test/builders';
import { expect, onTestFinished, test } from 'vitest';
import { checkDatabase } from '../../../src/stores/sqlite/check';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../../helpers/temp-folder';
import { migrateWithData } from '../stats-migration';
import { revertToFirstSchema } from './revert-to-first-schema';

test('a file of the first schema gets statistics, which count from then on', async () => {
  const file = tempFile();
  const revert = () => revertToFirstSchema(file);
  const store = await migrateWithData(() => openSqliteStore(file), revert);
  onTestFinished(() => store.close());
  const { checks } = await checkDatabase(file, noon);
  expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
});
