import { join } from 'node:path';
import type { SeededAccount, SeedResult } from '@tradepost/server';
import { seedDatabase } from './seed';
import type { ProcessOptions } from './start-process';
import { type ServerProcess, startServerProcess } from './start-server-process';
import { temporaryFolder } from './temporary-folder';

/** A server with demo data in a temporary folder. */
export interface SeededServer {
  server: ServerProcess;
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
  /** Stops the server and removes its folder. */
  close(): Promise<void>;
}

/** Seeds a database and starts the real server on it. Close it when the test ends: `onTestFinished`. */
export async function startSeededServer(
  args: readonly string[] = [],
  options: Pick<ProcessOptions, 'stderr' | 'env'> = {},
): Promise<SeededServer> {
  const folder = await temporaryFolder();
  try {
    const database = join(folder.path, 'tradepost.db');
    const seed = await seedDatabase(database);
    const [buyer, seller, agent, stranger] = seed.accounts;
    if (!(buyer && seller && agent && stranger)) throw new Error('The seed has too few accounts.');
    const server = await startServerProcess(database, args, options);
    return {
      server,
      seed,
      buyer,
      seller,
      agent,
      stranger,
      createEnvironment: ({ apiKey }) => ({
        TRADEPOST_BASE_URL: server.url,
        TRADEPOST_API_KEY: apiKey,
      }),
      async close() {
        await server.stop();
        await folder.remove();
      },
    };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}
