import { anAccount, noon } from '@tradepost/domain/test/builders';
import pg from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { checkDatabase } from '../../../src/stores/postgres/check';
import { createTables } from '../../../src/stores/postgres/migrate';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import { startPostgres } from '../../helpers/postgres';
import { Trade } from '../../helpers/trade';

const postgres = await startPostgres();
afterAll(postgres.stop);

test('accounts of the first schema are not suspended and have no limits or retention of their own, and the audit log is empty', async () => {
  const { url } = await postgres.createDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await createTables(client, 1);
  await client.query(
    'CREATE TABLE tradepost_schema (one BOOLEAN PRIMARY KEY CHECK (one), version BIGINT NOT NULL, min_compatible_version BIGINT NOT NULL)',
  );
  await client.query('INSERT INTO tradepost_schema VALUES (TRUE, 1, 1)');
  await client.query(`INSERT INTO accounts VALUES ('usr_1', 'buyer', 'Buyer', ${noon})`);
  await client.end();
  const store = await openPostgresStore(url);
  onTestFinished(() => store.close());
  expect(await store.accounts.listAccounts()).toEqual([anAccount({ id: 'usr_1', name: 'Buyer' })]);
  expect(await store.audit.listEntries({}, { before: null, limit: 1 })).toEqual([]);
  await (await Trade.open(store)).place();
  const { checks } = await checkDatabase(url, noon);
  expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
});
