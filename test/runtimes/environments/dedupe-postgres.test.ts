import { beforeAll, expect } from 'vitest';
import {
  controlled,
  type DedupeTarget,
  describeDedupeStore,
  main,
  withControl,
} from './describe-dedupe-store';
import { describeReceiver } from './describe-receiver';
import { readRecipe } from './read-recipe';
import { type Application, startProject } from './start-application';
import { postgresBuilds, postgresDependencies, startPostgres } from './start-postgres';

const recipe = readRecipe('PostgreSQL');

let application: Application;
let target: DedupeTarget;

beforeAll(() =>
  startProject(
    {
      name: 'dedupe',
      dependencies: {
        '@types/node': '20.19.43',
        '@types/pg': '8.23.1',
        ...postgresDependencies,
        pg: '8.23.1',
        typescript: '5.9.3',
      },
      builds: postgresBuilds,
      files: {
        ...recipe,
        [controlled]: withControl(recipe[main] ?? ''),
        // The migration, as the recipe has it.
        'src/migrate.ts': `import pg from 'pg';
import { createTable } from './postgres-dedupe-store.js';
const client = new pg.Client(process.env.DATABASE_URL);
await client.connect();
await client.query(createTable);
await client.end();
`,
      },
    },
    async (environment, start, onRemove) => {
      await environment.run('typescript/bin/tsc');
      const postgres = await startPostgres(environment, start, onRemove);
      const { connection, pool } = postgres;
      const migration = await environment.node(['dist/migrate.js'], connection);
      expect(migration).toMatchObject({ code: 0 });
      application = await start({
        args: ['dist/main.js'],
        ready: /listening on port/,
        env: connection,
      });
      target = {
        start,
        connection,
        async expire(key) {
          const text = "UPDATE handled_deliveries SET expires_at = '-infinity' WHERE key = $1";
          expect(await pool.query(text, [key])).toMatchObject({ rowCount: 1 });
        },
        async listKeys() {
          const { rows } = await pool.query<{ key: string }>('SELECT key FROM handled_deliveries');
          return rows.map(({ key }) => key);
        },
        async readRemainingMs(key) {
          const { rows } = await pool.query<{ ms: string }>(
            'SELECT extract(epoch FROM expires_at - now()) * 1000 AS ms FROM handled_deliveries WHERE key = $1',
            [key],
          );
          return Number(rows[0]?.ms);
        },
        breakStore: postgres.interrupt,
      };
    },
  ),
);

describeReceiver('a receiver with PostgreSQL', () => ({ application, path: '/webhooks' }));

describeDedupeStore('the store with PostgreSQL', () => target, { isPruned: true });
