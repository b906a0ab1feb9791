import pg from 'pg';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { checkDatabase } from '../../../src/stores/postgres/check';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import { startPostgres } from '../../helpers/postgres';
import { createRoles, roles, runStatements as run } from '../../helpers/postgres-roles';

const postgres = await startPostgres();
afterAll(postgres.stop);

/** What it may do, it does in the tests of the store. */
describe('the role of the server', () => {
  async function createDatabase() {
    const { url, remove } = await postgres.createDatabase();
    onTestFinished(remove);
    return { url, ...(await createRoles(url)) };
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
