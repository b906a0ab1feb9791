import { noon } from '@tradepost/domain/test/builders';
import { expect, onTestFinished, test } from 'vitest';
import { checkDatabase } from '../../../src/stores/sqlite/check';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../../helpers/temp-folder';
import { migrateFailing } from '../disabling-migration';
import { revertToFirstSchema } from './revert-to-first-schema';

test('endpoints of a file of the first schema keep how long they failed, and are disabled by it', async () => {
  const file = tempFile();
  const revert = () => revertToFirstSchema(file);
  const store = await migrateFailing(() => openSqliteStore(file), revert);
  onTestFinished(() => store.close());
  const { checks } = await checkDatabase(file, noon);
  expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
});
