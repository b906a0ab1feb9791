import { join } from 'node:path';
import type { SeededAccount, SeedResult } from '@tradepost/server';
import { seedDatabase } from './seed';
import type { ProcessOptions } from './start-process';
import { type ServerProcess, startServerProcess } from './start-server-process';
import { temporaryFolder } from './temporary-folder';

/** A server with demo data in a database of its own. */
export interface SeededServer {
  readonly server: ServerProcess;
  /** The data that `tradepost-server seed` created. */
  seed: SeedResult;
  buyer: SeededAccount;
  seller: SeededAccount;
  agent: SeededAccount;
  /** The second buyer, who has no orders. */
  stranger: SeededAccount;
  /** Returns the environment variables of the CLI and the examples, with the key of an account. */
  createEnvironment(account: SeededAccount): {
    TRADEPOST_BASE_URL: string;
    TRADEPOST_API_KEY: string;
  };
  /** Stops the server and starts another one on its database, at another URL. */
  restart(): Promise<void>;
  /** Stops the server and removes its database. */
  close(): Promise<void>;
}

/** A database with demo data. */
export interface SeededDatabase {
  /** A file, or the URL of a PostgreSQL database. */
  database: string;
  seed: SeedResult;
  remove(): Promise<void>;
}

/** Creates a SQLite file with demo data in a temporary folder. */
export async function createSeededFile(): Promise<SeededDatabase> {
  const folder = await temporaryFolder();
  const database = join(folder.path, 'tradepost.db');
  return { database, seed: await seedDatabase(database), remove: folder.remove };
}

/** How a server is started. */
interface ServerOptions extends Pick<ProcessOptions, 'stderr' | 'env'> {
  /** Creates the database, which is removed when the server is closed. Defaults to a SQLite file. */
  createDatabase?: (() => Promise<SeededDatabase>) | undefined;
}

/** Seeds a database and starts the real server on it. Close it when the test ends: `onTestFinished`. */
export async function startSeededServer(
  args: readonly string[] = [],
  { createDatabase = createSeededFile, ...options }: ServerOptions = {},
): Promise<SeededServer> {
  const { database, seed, remove } = await createDatabase();
  try {
    const [buyer, seller, agent, stranger] = seed.accounts;
    if (!(buyer && seller && agent && stranger)) throw new Error('The seed has too few accounts.');
    let server = await startServerProcess(database, args, options);
    return {
      get server() {
        return server;
      },
      seed,
      buyer,
      seller,
      agent,
      stranger,
      createEnvironment: ({ apiKey }) => ({
        TRADEPOST_BASE_URL: server.url,
        TRADEPOST_API_KEY: apiKey,
      }),
      async restart() {
        await server.stop();
        server = await startServerProcess(database, args, options);
      },
      async close() {
        await server.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
