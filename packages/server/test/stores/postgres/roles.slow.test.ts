import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { checkDatabase } from '../../../src/stores/postgres/check';
import { migrateDatabase } from '../../../src/stores/postgres/migrate';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import { ReusedDatabases, startPostgres } from '../../helpers/postgres';
import { describeStore } from '../store-conformance';

const roles = readFileSync(new URL('../../../deploy/postgres/roles.sql', import.meta.url), 'utf8');
const postgres = await startPostgres();
const databases = new ReusedDatabases(postgres);
afterAll(postgres.stop);

/** Runs statements on a connection of their own. Returns the rows of the last one. */
async function run(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const results = [await client.query(sql)].flat();
    return results.at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}

/** Returns a URL with another role, whose password is its name. */
function withRole(url: string, role: 'tradepost_owner' | 'tradepost_server'): string {
  const address = new URL(url);
  address.username = role;
  address.password = role;
  return address.href;
}

/** Creates the roles and, as the owner, the tables in a database. Returns the URLs of both roles. */
async function prepare(url: string): Promise<{ owner: string; server: string }> {
  await run(
    url,
    `${roles};
     ALTER ROLE tradepost_owner PASSWORD 'tradepost_owner';
     ALTER ROLE tradepost_server PASSWORD 'tradepost_server'`,
  );
  const owner = withRole(url, 'tradepost_owner');
  await migrateDatabase(owner, { dryRun: false });
  return { owner, server: withRole(url, 'tradepost_server') };
}

describeStore('the PostgreSQL store with the role of the server', async () => {
  const { url, remove } = await databases.take();
  const { server } = await prepare(url);
  return { open: () => openPostgresStore(server), remove };
});

describe('the role of the server', () => {
  async function createDatabase() {
    const { url, remove } = await postgres.createDatabase();
    onTestFinished(remove);
    return { url, ...(await prepare(url)) };
  }

  test('checks its health and its data, and the roles may be created again', async () => {
    const { url, server } = await createDatabase();
    await run(url, roles);
    const store = await openPostgresStore(server);
    onTestFinished(() => store.close());
    await store.checkWritable();
    const { checks } = await checkDatabase(server, 0);
    expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
  });

  test('cannot migrate an older schema', async () => {
    const { owner, server } = await createDatabase();
    await run(owner, 'UPDATE tradepost_schema SET version = 0');
    await expect(openPostgresStore(server)).rejects.toThrow('permission denied for schema public');
  });

  test('sees the transactions of the owner, so that lists by time stay available', async () => {
    const { owner, server } = await createDatabase();
    const client = new pg.Client({ connectionString: owner, application_name: 'tradepost' });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('BEGIN; SELECT pg_current_xact_id()');
    const seen = await run(
      server,
      `SELECT query FROM pg_stat_activity WHERE usename = 'tradepost_owner' AND backend_xid IS NOT NULL`,
    );
    expect(seen).toEqual([{ query: 'BEGIN; SELECT pg_current_xact_id()' }]);
  });

  test.each([
    'CREATE TABLE notes (note TEXT)',
    'CREATE SCHEMA notes',
    'CREATE ROLE notes',
    'ALTER TABLE orders ADD COLUMN note TEXT',
    'CREATE INDEX notes ON orders (quantity)',
    'DROP TABLE orders',
    'TRUNCATE orders',
    'ALTER ROLE tradepost_server SUPERUSER',
    'SET ROLE tradepost_owner',
    "COPY orders TO PROGRAM 'cat'",
    "SELECT pg_read_file('PG_VERSION')",
  ])('may not %s', async (statement) => {
    const { server } = await createDatabase();
    await expect(run(server, statement)).rejects.toThrow(/permission denied|must be owner/);
  });
});
