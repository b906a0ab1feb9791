import pg from 'pg';
import { beforeAll, expect } from 'vitest';
import { controlledWorker, describeQueue, type QueueTarget, withControl } from './describe-queue';
import { readRecipe, replacePart } from './read-recipe';
import { startProject } from './start-application';
import { postgresBuilds, postgresDependencies, preparePostgres } from './start-postgres';

const recipe = readRecipe('pg-boss');

/** The recipe, whose workers look for expired jobs more often. */
const queue = replacePart(
  recipe['src/queue.ts'] ?? '',
  'maintenanceIntervalSeconds: 60',
  'maintenanceIntervalSeconds: 1',
);

let target: QueueTarget;

beforeAll(async () => {
  let stop = async (): Promise<unknown> => undefined;
  const remove = await startProject(
    {
      name: 'dedupe',
      dependencies: {
        '@types/node': '20.19.43',
        '@types/pg': '8.23.1',
        ...postgresDependencies,
        pg: '8.23.1',
        'pg-boss': '10.4.2',
        typescript: '5.9.3',
      },
      builds: postgresBuilds,
      files: {
        ...recipe,
        'src/queue.ts': queue,
        [controlledWorker]: withControl(recipe['src/worker.ts'] ?? ''),
      },
    },
    async (environment, start) => {
      await environment.run('typescript/bin/tsc');
      const startPostgres = await preparePostgres(environment, start);
      let postgres = await startPostgres();
      const { port } = postgres;
      const connection = {
        DATABASE_URL: `postgres://tradepost:tradepost@127.0.0.1:${port}/postgres`,
      };
      const pool = new pg.Pool({ connectionString: connection.DATABASE_URL, max: 1 });
      pool.on('error', () => undefined);
      stop = async () => {
        await pool.end();
        await postgres.process.stop();
      };
      target = {
        start,
        connection,
        async countJobs() {
          const { rows } = await pool.query(
            'SELECT count(*)::int AS jobs FROM tradepost_queue.job',
          );
          return rows[0].jobs;
        },
        async isCompleted(id) {
          const { rowCount } = await pool.query(
            "SELECT FROM tradepost_queue.job WHERE data->>'id' = $1 AND state = 'completed'",
            [id],
          );
          return rowCount === 1;
        },
        async expireJobs() {
          const { rowCount } = await pool.query(
            "UPDATE tradepost_queue.job SET started_on = started_on - expire_in WHERE state = 'active'",
          );
          expect(rowCount).toBe(1);
        },
        async breakQueue() {
          await postgres.process.stop();
          return async () => {
            postgres = await startPostgres(port);
          };
        },
      };
    },
  ).catch(async (error) => {
    await stop();
    throw error;
  });
  return async () => {
    await stop();
    await remove();
  };
});

describeQueue('pg-boss', () => target);
