import { randomBytes } from 'node:crypto';
import { delimiter, join } from 'node:path';
import type { SeedResult } from '@tradepost/server';
import { checkout } from '../helpers/programs';
import { runServerCommand } from '../helpers/run-server-command';
import { startServerProcess } from '../helpers/start-server-process';
import { temporaryFolder } from '../helpers/temporary-folder';
import type { Cast } from './fill-in';
import { createIdBook, type IdBook } from './id-book';
import type { ProgramEnvironment } from './run-program';

/** What the snippets of one README work with, one after the other. */
export interface ReadmeWorld {
  cast: Cast;
  ids: IdBook;
  /** For programs: a buyer's. */
  programEnvironment: ProgramEnvironment;
  /** For commands: a seller's, with `tradepost` and `tradepost-server` installed. */
  commandEnvironment: Record<string, string>;
}

/** A real server for all READMEs. */
export interface Service {
  /** Adds accounts, listings and orders that nobody else sees. */
  addWorld(): Promise<ReadmeWorld>;
  /** Stops the server and removes its folder. */
  close(): Promise<void>;
}

/** Starts the server on a database of its own. */
export async function startService(): Promise<Service> {
  const folder = await temporaryFolder();
  const database = join(folder.path, 'tradepost.db');
  try {
    // Somebody whose key can be revoked without harm to anybody else.
    await runServerCommand(['accounts', 'create', '--kind', 'buyer'], database);
    const keys = await runServerCommand<{ id: string }[]>(['keys', 'list'], database);
    const server = await startServerProcess(database);
    return {
      async addWorld() {
        const world = await runServerCommand<SeedResult>(['seed'], database);
        return readmeWorld(world, keys, server, folder.path);
      },
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

function readmeWorld(
  { accounts, listings, orders }: SeedResult,
  keys: readonly { id: string }[],
  { url, database }: { url: string; database: string },
  folder: string,
): ReadmeWorld {
  const [buyer, seller, agent] = accounts;
  if (!(buyer && seller && agent)) throw new Error('The seed has too few accounts.');
  const idsOf = (things: readonly { id: string }[]) => things.map(({ id }) => id);
  const pending = orders.filter(({ status }) => status === 'pending');
  const ids = {
    usr: idsOf(accounts),
    // Newest first, as they are listed.
    ord: idsOf(pending).reverse(),
    lst: idsOf(listings),
    key: idsOf(keys),
  };
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const settings = { TRADEPOST_BASE_URL: url, TRADEPOST_WEBHOOK_SECRET: secret };
  return {
    cast: { baseUrl: url, secret, buyer, seller, agent, ids },
    ids: createIdBook(ids),
    programEnvironment: { ...settings, TRADEPOST_API_KEY: buyer.apiKey },
    commandEnvironment: {
      ...settings,
      TRADEPOST_API_KEY: seller.apiKey,
      TRADEPOST_DATABASE: database,
      // Logins and result files of one README are not those of another.
      TRADEPOST_CONFIG_DIR: join(folder, seller.id, 'config'),
      TRADEPOST_STATE_DIR: join(folder, seller.id, 'state'),
      PORT: '0',
      PATH: [join(checkout, 'test/node_modules/.bin'), process.env.PATH].join(delimiter),
    },
  };
}
