import pg from 'pg';
import { afterAll, onTestFinished, test } from 'vitest';
import { createTables } from '../../../src/stores/postgres/migrate';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import { startPostgres } from '../../helpers/postgres';
import { expectActors, pastOrder } from '../actors-of-the-past';

const postgres = await startPostgres();
afterAll(postgres.stop);

test('events of a database of the first schema have no actor, and new ones have theirs', async () => {
  const { url } = await postgres.createDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await createTables(client, 1);
  await client.query(
    `CREATE TABLE tradepost_schema (one BOOLEAN PRIMARY KEY CHECK (one), version BIGINT NOT NULL, min_compatible_version BIGINT NOT NULL);
     INSERT INTO tradepost_schema VALUES (TRUE, 1, 1);
     ${pastOrder.replace('ACCOUNT_EVENT_COLUMN', 'created_at')}`,
  );
  await client.end();
  const store = await openPostgresStore(url);
  onTestFinished(() => store.close());
  await expectActors(store);
});
