import { chmodSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { loadPostgres } from './reachable-postgres';

/**
 * How a PostgreSQL server stops: `fast` ends its connections and writes everything to its files; `immediate` is like a crash, so
 * that the next start recovers from the log.
 */
export type StopMode = 'fast' | 'immediate';

/** A PostgreSQL server that a test started. */
export interface PostgresServer {
  /** The URL of its database `postgres`, which stays the same when it is started again. */
  url: string;
  /** Returns the ID of its first process, the parent of all others. */
  processId(): number;
  /** Stops it, and waits until it has ended. */
  stop(mode?: StopMode): Promise<void>;
  /** Starts it again with the same data and port, and waits until it accepts connections. */
  start(): Promise<void>;
}

/** Options of a PostgreSQL server. */
export interface PostgresServerOptions {
  /** An existing folder for its data. The caller removes it. */
  folder: string;
  /**
   * Whether committed changes survive a crash.
   * @default true
   */
  isDurable?: boolean;
  /** @default 200 */
  maxConnections?: number;
  /**
   * Further settings, such as `shared_buffers=1GB`.
   * @default none
   */
  settings?: readonly string[];
}

const user = 'tradepost';

/** Returns a port that is free now. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('a TCP port');
  return address.port;
}

/** Creates a PostgreSQL server with an empty data directory, and starts it. */
export async function startPostgresServer({
  folder,
  isDurable = true,
  maxConnections = 200,
  settings = [],
}: PostgresServerOptions): Promise<PostgresServer> {
  // As root, PostgreSQL runs as another user.
  chmodSync(folder, 0o755);
  const databaseDir = join(folder, 'data');
  const port = await findFreePort();
  const unsafe = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
  const log: string[] = [];
  const EmbeddedPostgres = await loadPostgres();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user,
    password: user,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', ...(isDurable ? [] : ['--no-sync'])],
    postgresFlags: [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      `max_connections=${maxConnections}`,
      ...(isDurable ? [] : unsafe),
      ...settings,
    ].flatMap((setting) => ['-c', setting]),
    onLog: (text) => void log.push(String(text)),
    onError: (error) => void log.push(String(error)),
  });
  const start = async () => {
    log.splice(0);
    try {
      await server.start();
    } catch (error) {
      throw new Error(`PostgreSQL did not start:\n${log.join('')}`, { cause: error });
    }
  };
  try {
    await server.initialise();
  } catch (error) {
    throw new Error(`PostgreSQL could not be initialised:\n${log.join('')}`, { cause: error });
  }
  await start();
  return {
    url: `postgres://${user}:${user}@127.0.0.1:${port}/postgres`,
    start,
    processId: () => readProcessId(databaseDir),
    async stop(mode = 'fast') {
      // An immediate shutdown is not replaced by the fast one that `stop` requests. Source: PostgreSQL, "Shutting down the server".
      if (mode === 'immediate') process.kill(readProcessId(databaseDir), 'SIGQUIT');
      await server.stop();
    },
  };
}

/** Reads the ID of the server process that uses a data directory. */
function readProcessId(databaseDir: string): number {
  const [line = ''] = readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n');
  return Number(line);
}
