import { noon } from '@tradepost/domain/test/builders';
import pg from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { checkDatabase } from '../../../src/stores/postgres/check';
import { createTables } from '../../../src/stores/postgres/migrate';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import { startPostgres } from '../../helpers/postgres';

const postgres = await startPostgres();
afterAll(postgres.stop);

test('keys of the first schema have no name and no maker, and are no sessions', async () => {
  const { url } = await postgres.createDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await createTables(client, 1);
  await client.query(`
    CREATE TABLE tradepost_schema (one BOOLEAN PRIMARY KEY CHECK (one), version BIGINT NOT NULL, min_compatible_version BIGINT NOT NULL);
    INSERT INTO tradepost_schema VALUES (TRUE, 1, 1);
    INSERT INTO accounts VALUES ('usr_1', 'buyer', 'Buyer', ${noon});
    INSERT INTO api_keys VALUES ('key_1', 'usr_1', 'hash 1', 'tpk_1…', TRUE, ${noon}, ${noon + 1}, NULL, ${noon})`);
  await client.end();
  const store = await openPostgresStore(url);
  onTestFinished(() => store.close());
  expect(await store.accounts.listKeys()).toEqual([
    {
      id: 'key_1',
      accountId: 'usr_1',
      hash: 'hash 1',
      prefix: 'tpk_1…',
      readOnly: true,
      name: null,
      isSession: false,
      parentId: null,
      createdAt: noon,
      expiresAt: noon + 1,
      revokedAt: null,
      lastUsedAt: noon,
    },
  ]);
  const code = { hash: 'code', keyId: 'key_1', createdAt: noon, expiresAt: noon + 1 };
  await store.signIns.addCode(code);
  const { checks } = await checkDatabase(url, noon);
  expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
});
