import pg from 'pg';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import {
  createTables,
  currentSchemaVersion,
  migrateDatabase,
} from '../../../src/stores/postgres/migrate';
import type * as current from '../../../src/stores/postgres/migrations/migrations';
import { startPostgres } from '../../helpers/postgres';

/** The migrations of a later version of the server, each of which locks one table. */
vi.mock('../../../src/stores/postgres/migrations/migrations', async (load) => ({
  migrations: [
    ...(await load<typeof current>()).migrations,
    'CREATE INDEX orders_by_quantity ON orders (quantity)',
    "ALTER TABLE listings ADD COLUMN note TEXT; UPDATE listings SET note = 'of ' || id",
    'ALTER TABLE events ADD COLUMN note TEXT',
  ],
}));

const postgres = await startPostgres();
afterAll(postgres.stop);

/** Creates a database with the first version of the schema. Returns a client of it and its URL. */
async function createOldDatabase() {
  const { url } = await postgres.createDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await createTables(client, 1);
  await client.query(
    'CREATE TABLE tradepost_schema (one BOOLEAN PRIMARY KEY CHECK (one), version BIGINT NOT NULL)',
  );
  await client.query('INSERT INTO tradepost_schema VALUES (TRUE, 1)');
  await client.query(`
    INSERT INTO accounts VALUES ('usr_1', 'seller', 'Seller', 0);
    INSERT INTO listings VALUES ('lst_1', 'usr_1', NULL, 10, 10, NULL, FALSE, 0, NULL)
  `);
  return { url, client };
}

async function readVersion(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ version: string }>('SELECT version FROM tradepost_schema');
  return Number(rows[0]?.version);
}

test('a migration holds the locks of one version, so that an order that is created meanwhile does not wait for it', async () => {
  const { url, client } = await createOldDatabase();
  const ordering = new pg.Client({ connectionString: url });
  await ordering.connect();
  onTestFinished(() => ordering.end());

  // As a server of the previous version does: first the listing, then the order.
  await ordering.query("BEGIN; SET LOCAL lock_timeout = '200ms'");
  await ordering.query("UPDATE listings SET available_quantity = 9 WHERE id = 'lst_1'");
  const migration = migrateDatabase(url, { dryRun: false });
  while ((await readVersion(client)) < 2) await Promise.race([migration, client.query('SELECT 1')]);
  await ordering.query(
    "INSERT INTO orders VALUES ('ord_1', 'pending', 'usr_2', 'usr_1', NULL, 'lst_1', 1, 1, 0, 0)",
  );
  await ordering.query('COMMIT');

  expect(await migration).toEqual({ from: 1, to: currentSchemaVersion });
  expect(await readVersion(client)).toBe(currentSchemaVersion);
  const { rows } = await client.query(
    'SELECT note FROM listings JOIN orders ON listing_id = listings.id',
  );
  expect(rows).toEqual([{ note: 'of lst_1' }]);
});

test('several processes migrate a database at the same time', async () => {
  const { url, client } = await createOldDatabase();
  const migrations = [1, 2, 3].map(() => migrateDatabase(url, { dryRun: false }));
  for (const { to } of await Promise.all(migrations)) expect(to).toBe(currentSchemaVersion);
  expect(await readVersion(client)).toBe(currentSchemaVersion);
});
