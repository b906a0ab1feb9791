import type { SeedResult } from '@tradepost/server';
import { afterAll, onTestFinished } from 'vitest';
import {
  startPostgres,
  type TestDatabase,
  type TestPostgres,
} from '../../packages/server/test/helpers/postgres';
import { forTest } from './for-test';
import { tradepostServerBin } from './programs';
import { runServerCommand } from './run-server-command';
import { type ProcessOptions, type RunningProcess, startProcess } from './start-process';
import type { SeededDatabase } from './start-seeded-server';

/** A seeded PostgreSQL database, and processes that use it. */
export interface SeededPostgres extends TestDatabase {
  seed: SeedResult;
}

/** Creates a database with demo data. */
async function createSeededDatabase(postgres: TestPostgres): Promise<SeededPostgres> {
  const database = await postgres.createDatabase();
  const seed = await runServerCommand<SeedResult>(['seed'], database.url);
  return { ...database, seed };
}

/** Starts a PostgreSQL server for the tests of a file. Returns a function that creates a seeded database for one test. */
export async function usePostgres(): Promise<() => Promise<SeededPostgres>> {
  const postgres = await startPostgres();
  afterAll(postgres.stop);
  return async () => {
    const database = await createSeededDatabase(postgres);
    onTestFinished(database.remove);
    return database;
  };
}

/** Starts a PostgreSQL server for one seeded database, and stops it when the database is removed. */
export async function createSeededPostgres(): Promise<SeededDatabase> {
  const postgres = await startPostgres();
  try {
    const { url, seed, remove } = await createSeededDatabase(postgres);
    return {
      database: url,
      seed,
      async remove() {
        await remove();
        await postgres.stop();
      },
    };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

/** A process that serves the API. */
export interface ApiProcess extends RunningProcess {
  url: string;
}

/** Starts a process with a role on a database. It is stopped when the test ends. */
function startRole(
  role: 'api' | 'worker',
  database: string,
  args: readonly string[],
  { nodeArgs = [], ...options }: RoleOptions,
): RunningProcess {
  const start = ['start', '--role', role, '--port', '0', '--allow-insecure-webhooks'];
  const command = [...nodeArgs, tradepostServerBin, ...start, '--database', database, ...args];
  return forTest(startProcess(process.execPath, command, options));
}

/** Options of a process. */
export interface RoleOptions extends Pick<ProcessOptions, 'env'> {
  /** Options of Node itself. */
  nodeArgs?: readonly string[];
}

/** Starts an API process on a database, and waits until it accepts requests. */
export async function startApi(
  database: string,
  args: readonly string[] = [],
  options: RoleOptions = {},
): Promise<ApiProcess> {
  const running = startRole('api', database, args, options);
  const [, url = ''] = await running.writes(/^listening on (\S+)$/m);
  return { ...running, url };
}

/** Starts a worker process on a database, and waits until it polls. */
export async function startWorker(
  database: string,
  args: readonly string[] = [],
  options: RoleOptions = {},
): Promise<RunningProcess> {
  const running = startRole('worker', database, args, options);
  await running.writes(/^delivering from /m);
  return running;
}
