import { join } from 'node:path';
import type { DedupeStore } from '@tradepost/sdk/webhooks';
import pg from 'pg';
import { beforeAll, describe } from 'vitest';
import { startPostgres } from '../../packages/server/test/helpers/postgres';
import { temporaryFolder } from '../helpers/temporary-folder';
import { describeSimulation, importRecipe } from '../runtimes/environments/simulate-recipe';

type CreateStore<Database> = (database: Database, options: object) => DedupeStore;

describe('the store with SQLite', () => {
  let createStore: CreateStore<string>;
  let folder: string;
  let lastFile = 0;

  beforeAll(async () => {
    const { path, remove } = await temporaryFolder();
    folder = path;
    const recipe = await importRecipe<{ createSqliteDedupeStore: CreateStore<string> }>(
      'SQLite',
      'src/sqlite-dedupe-store.ts',
    );
    createStore = recipe.createSqliteDedupeStore;
    return remove;
  });

  describeSimulation('the recipe for SQLite', ({ durable, wrap, now }, leaseMs) => {
    lastFile += 1;
    const file = durable('file', () => join(folder, `${lastFile}.db`));
    return wrap(createStore(file, { now, leaseMs }));
  });
});

describe('the store with PostgreSQL', () => {
  let createStore: CreateStore<Pick<pg.Pool, 'query'>>;
  let pool: pg.Pool;

  beforeAll(async () => {
    const postgres = await startPostgres();
    const { url } = await postgres.createDatabase();
    // The time of the recipe is that of the database: here, that of the simulation.
    const options = '-c search_path=simulation,pg_catalog';
    pool = new pg.Pool({ connectionString: url, max: 1, options });
    // Of its connection, when the server stops.
    pool.on('error', () => undefined);
    const recipe = await importRecipe<{
      createTable: string;
      createPostgresDedupeStore: typeof createStore;
    }>('PostgreSQL', 'src/postgres-dedupe-store.ts');
    createStore = recipe.createPostgresDedupeStore;
    await pool.query(`
      CREATE SCHEMA simulation;
      CREATE FUNCTION simulation.now() RETURNS timestamptz LANGUAGE sql STABLE
        RETURN to_timestamp(current_setting('simulation.now')::float8 / 1000);
      ${recipe.createTable}`);
    return async () => {
      await pool.end();
      await postgres.stop();
    };
  });

  describeSimulation('the recipe for PostgreSQL', async ({ durable, wrap, now }, leaseMs) => {
    await durable('empty', () => pool.query('TRUNCATE handled_deliveries'));
    const query = async (text: string, values: unknown[]) => {
      await pool.query("SELECT set_config('simulation.now', $1, false)", [String(now())]);
      return pool.query(text, values);
    };
    // Each query is a step of its own.
    return createStore(wrap({ query }) as Pick<pg.Pool, 'query'>, { leaseMs });
  });
});
