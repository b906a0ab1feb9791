import { noon } from '@tradepost/domain/test/builders';
import pg from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { checkDatabase } from '../../../src/stores/postgres/check';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import { startPostgres } from '../../helpers/postgres';
import { migrateFailing } from '../disabling-migration';
import { revertToFirstSchema } from './revert-to-first-schema';

const postgres = await startPostgres();
afterAll(postgres.stop);

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

test('endpoints of a database of the first schema keep how long they failed, and are disabled by it', async () => {
  const { url } = await postgres.createDatabase();
  const client = await connect(url);
  const empty = await connect((await postgres.createDatabase()).url);
  const revert = () => revertToFirstSchema(client, empty);
  const store = await migrateFailing(() => openPostgresStore(url), revert);
  onTestFinished(() => store.close());
  const { checks } = await checkDatabase(url, noon);
  expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
});
