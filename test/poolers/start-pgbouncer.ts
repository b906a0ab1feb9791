import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findUnusedPort } from '../helpers/loopback';
import { checkout } from '../helpers/programs';
import { startProgram } from './start-program';

/** Returns the settings that the guide recommends. */
function readGuide(): string {
  const guide = readFileSync(join(checkout, 'docs/postgresql.md'), 'utf8');
  const [, settings] = /```ini\n[^`]*\[pgbouncer\]\n([^`]*)```/.exec(guide) ?? [];
  if (settings === undefined) throw new Error('The guide has no settings of PgBouncer.');
  return settings;
}

/** Starts PgBouncer as the guide says, with fewer sessions than clients. Returns the URL of the database through it. */
export async function startPgBouncer(target: string): Promise<string> {
  const { port: serverPort, username, password } = new URL(target);
  const port = await findUnusedPort();
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${serverPort}`,
    '[pgbouncer]',
    readGuide(),
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'default_pool_size = 3',
    'auth_type = plain',
  ];
  await startProgram({
    path: '/usr/sbin/pgbouncer',
    variable: 'PGBOUNCER_PATH',
    files: (folder) => ({
      'users.txt': `"${username}" "${password}"\n`,
      'pgbouncer.ini': `${settings.join('\n')}\nauth_file = ${join(folder, 'users.txt')}\n`,
    }),
    args: (folder) => {
      // It does not run as root.
      const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
      return [...user, join(folder, 'pgbouncer.ini')];
    },
    port,
  });
  const url = new URL(target);
  url.port = String(port);
  return url.href;
}
