import { noon } from '@tradepost/domain/test/builders';
import { expect, onTestFinished, test } from 'vitest';
import { checkDatabase } from '../../../src/stores/sqlite/check';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../../helpers/temp-folder';
import { migrationsOfData } from '../migrations-of-data';
import { revertToFirstSchema } from './revert-to-first-schema';

test.each(migrationsOfData)('a file of the first schema %s', async (_outcome, migrate) => {
  const file = tempFile();
  const store = await migrate(
    () => openSqliteStore(file),
    async () => revertToFirstSchema(file),
  );
  onTestFinished(() => store.close());
  const { checks } = await checkDatabase(file, noon);
  expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
});
