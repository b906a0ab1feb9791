import { join } from 'node:path';
import type { SeededAccount, SeedResult } from '@tradepost/server';
import { seedDatabase } from './seed';
import type { ProcessOptions } from './start-process';
import { type ServerProcess, startServerProcess } from './start-server-process';
import { temporaryFolder } from './temporary-folder';

/** A server with the demo world in a folder of its own. */
export interface SeededServer {
  server: ServerProcess;
  /** Everything `tradepost-server seed` made. */
  world: SeedResult;
  buyer: SeededAccount;
  seller: SeededAccount;
  agent: SeededAccount;
  /** The second buyer: none of the orders is theirs. */
  stranger: SeededAccount;
  /** What the CLI and the examples read, with the key of one of the accounts. */
  environmentOf(account: SeededAccount): { TRADEPOST_BASE_URL: string; TRADEPOST_API_KEY: string };
  /** Stops the server and removes its folder. */
  close(): Promise<void>;
}

/** Seeds a database and starts the real server on it. Close it in the end: `onTestFinished`. */
export async function startSeededServer(
  args: readonly string[] = [],
  options: Pick<ProcessOptions, 'stderr'> = {},
): Promise<SeededServer> {
  const folder = await temporaryFolder();
  try {
    const database = join(folder.path, 'tradepost.db');
    const world = await seedDatabase(database);
    const [buyer, seller, agent, stranger] = world.accounts;
    if (!(buyer && seller && agent && stranger)) throw new Error('The seed has too few accounts.');
    const server = await startServerProcess(database, args, options);
    return {
      server,
      world,
      buyer,
      seller,
      agent,
      stranger,
      environmentOf: ({ apiKey }) => ({
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
