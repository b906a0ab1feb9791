import { noon } from '@tradepost/domain/test/builders';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { checkDatabase } from '../../../src/stores/postgres/check';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import { connectForTest } from '../../helpers/connect-for-test';
import { startPostgres } from '../../helpers/postgres';
import { migrationsOfData } from '../migrations-of-data';
import { revertToFirstSchema } from './revert-to-first-schema';

const postgres = await startPostgres();
afterAll(postgres.stop);

test.each(migrationsOfData)('a database of the first schema %s', async (_outcome, migrate) => {
  const { url } = await postgres.createDatabase();
  const client = await connectForTest(url);
  const empty = await connectForTest((await postgres.createDatabase()).url);
  const store = await migrate(
    () => openPostgresStore(url),
    () => revertToFirstSchema(client, empty),
  );
  onTestFinished(() => store.close());
  const { checks } = await checkDatabase(url, noon);
  expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
});
