import { beforeAll, expect } from 'vitest';
import { controlledWorker, describeQueue, type QueueTarget, withControl } from './describe-queue';
import { readRecipe, replacePart } from './read-recipe';
import { startProject } from './start-application';
import { postgresBuilds, postgresDependencies, startPostgres } from './start-postgres';

const recipe = readRecipe('pg-boss');

/** The recipe, whose workers look for expired jobs more often. */
const queue = replacePart(
  recipe['src/queue.ts'] ?? '',
  'maintenanceIntervalSeconds: 60',
  'maintenanceIntervalSeconds: 1',
);

let target: QueueTarget;

beforeAll(() =>
  startProject(
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
    async (environment, start, onRemove) => {
      await environment.run('typescript/bin/tsc');
      const postgres = await startPostgres(environment, start, onRemove);
      const { connection, pool } = postgres;
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
        breakQueue: postgres.interrupt,
      };
    },
  ),
);

describeQueue('pg-boss', () => target);
