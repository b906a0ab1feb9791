import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { startPostgresServer } from '../../packages/server/test/helpers/embedded-postgres';
import type { BenchEnvironment } from './bench-environment';
import { fillDatabase, type Specs, type Template, type TemplatesOf } from './database';
import { machineTime } from './loops';
import { ProcessTree } from './process-tree';

const recordedPauseMs = 5;
/** What an operator sets first. All else is as PostgreSQL comes, so commits wait for the disk. */
const settings = ['shared_buffers=1GB', 'max_wal_size=4GB'];

/** A PostgreSQL server whose commits wait for the disk. */
export interface BenchPostgres {
  /** The URL of its database `postgres`. */
  url: string;
  /** Its processes. */
  processes: ProcessTree;
  /** Creates a database and returns its URL. */
  createDatabase(template?: string): Promise<string>;
  /** Creates a database that is filled once and copied for each round. */
  createTemplate<Result>(
    fill: (url: string) => Promise<Result>,
  ): Promise<Pick<Template<[]>, 'file' | 'use'> & { filled: Result }>;
  /**
   * Creates databases with trading accounts. The `file` of each is its URL. They are copied by PostgreSQL, which then writes
   * what is not on disk yet.
   */
  createDatabases<const Wanted extends Specs>(specs: Wanted): Promise<TemplatesOf<Wanted>>;
}

const readName = (url: string) => new URL(url).pathname.slice(1);

/**
 * Starts a PostgreSQL server, which runs until the benches end.
 *
 * @param further Settings in addition to the usual ones, such as `autovacuum=off`.
 */
export async function startBenchPostgres(
  environment: BenchEnvironment,
  further: readonly string[] = [],
): Promise<BenchPostgres> {
  // Not in the folder of the benches, which only this user may enter: as root, PostgreSQL runs as another one.
  const folder = await mkdtemp(join(tmpdir(), 'tradepost-bench-'));
  const server = await startPostgresServer({ folder, settings: [...settings, ...further] });
  environment.addCleanup(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const admin = new pg.Pool({ connectionString: server.url, max: 1 });
  admin.on('error', () => {});

  async function createDatabase(template = 'template0'): Promise<string> {
    const name = `bench_${randomUUID().replaceAll('-', '')}`;
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    await admin.query('CHECKPOINT');
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    return url.href;
  }
  async function removeDatabase(url: string): Promise<void> {
    await admin.query(`DROP DATABASE IF EXISTS ${readName(url)} WITH (FORCE)`);
  }
  async function createTemplate<Result>(fill: (url: string) => Promise<Result>) {
    const url = await createDatabase();
    const filled = await fill(url);
    await vacuum(url);
    return {
      file: url,
      filled,
      async use<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
        const copy = await createDatabase(readName(url));
        try {
          return await work(copy);
        } finally {
          await removeDatabase(copy);
        }
      },
    };
  }
  return {
    url: server.url,
    processes: new ProcessTree(server.processId()),
    createDatabase,
    createTemplate,
    async createDatabases<const Wanted extends Specs>(specs: Wanted) {
      const made: Record<string, unknown> = {};
      for (const [name, spec] of Object.entries(specs)) {
        const fill = (url: string) => fillDatabase(environment, url, spec);
        const { filled, ...template } = await createTemplate(fill);
        made[name] = { ...template, trades: filled };
      }
      return made as TemplatesOf<Wanted>;
    },
  };
}

/** Updates the statistics of a database, as autovacuum does sooner or later. */
async function vacuum(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('VACUUM ANALYZE');
  await client.end();
}

/**
 * Waits until every delivery in a PostgreSQL database is recorded.
 *
 * @param unfinished A query for what is not; by default in the tables of the server.
 * @returns The machine time at that point.
 */
export async function allRecordedInPostgres(
  url: string,
  unfinished = 'SELECT 1 FROM pending_deliveries LIMIT 1',
): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (;;) {
      const { rowCount } = await client.query({ name: 'unfinished', text: unfinished });
      if (rowCount === 0) return machineTime();
      await setTimeout(recordedPauseMs);
    }
  } finally {
    await client.end();
  }
}
