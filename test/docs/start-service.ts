import { randomBytes } from 'node:crypto';
import { delimiter, join } from 'node:path';
import type { SeedResult } from '@tradepost/server';
import { checkout } from '../helpers/programs';
import { runServerCommand } from '../helpers/run-server-command';
import { startServerProcess } from '../helpers/start-server-process';
import { temporaryFolder } from '../helpers/temporary-folder';
import type { PlaceholderValues } from './commands';
import { createIdMapping, type IdMapping } from './output';
import type { ProgramEnvironment } from './run-program';

/** What the snippets of one README use. */
export interface ReadmeContext {
  placeholders: PlaceholderValues;
  ids: IdMapping;
  /** For programs, with a buyer's key. */
  programEnvironment: ProgramEnvironment;
  /** For commands, with a seller's key, and `tradepost` and `tradepost-server` in the PATH. */
  commandEnvironment: Record<string, string>;
}

/** A real server for all READMEs. */
export interface Service {
  /** Adds accounts, listings and orders for one README. */
  addReadme(): Promise<ReadmeContext>;
  /** Stops the server and removes its folder. */
  close(): Promise<void>;
}

/** Starts the server on a new database. */
export async function startService(): Promise<Service> {
  const folder = await temporaryFolder();
  const database = join(folder.path, 'tradepost.db');
  try {
    // An account whose key a README may revoke.
    await runServerCommand(['accounts', 'create', '--kind', 'buyer'], database);
    const keys = await runServerCommand<{ id: string }[]>(['keys', 'list'], database);
    const server = await startServerProcess(database);
    return {
      async addReadme() {
        const seed = await runServerCommand<SeedResult>(['seed'], database);
        return createReadmeContext(seed, keys, server, folder.path);
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

function createReadmeContext(
  { accounts, listings, orders }: SeedResult,
  keys: readonly { id: string }[],
  { url, database }: { url: string; database: string },
  folder: string,
): ReadmeContext {
  const [buyer, seller, agent] = accounts;
  if (!(buyer && seller && agent)) throw new Error('The seed has too few accounts.');
  const getIds = (items: readonly { id: string }[]) => items.map(({ id }) => id);
  const pending = orders.filter(({ status }) => status === 'pending');
  const ids = {
    usr: getIds(accounts),
    // Newest first, as they are listed.
    ord: getIds(pending).reverse(),
    lst: getIds(listings),
    key: getIds(keys),
  };
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const settings = { TRADEPOST_BASE_URL: url, TRADEPOST_WEBHOOK_SECRET: secret };
  return {
    placeholders: { baseUrl: url, secret, buyer, seller, agent, ids },
    ids: createIdMapping(ids),
    programEnvironment: {
      ...settings,
      TRADEPOST_API_KEY: buyer.apiKey,
      DELIVERIES_DATABASE: join(folder, `deliveries-${buyer.id}.db`),
    },
    commandEnvironment: {
      ...settings,
      TRADEPOST_API_KEY: seller.apiKey,
      TRADEPOST_DATABASE: database,
      // Each README has its own profiles and journals.
      TRADEPOST_CONFIG_DIR: join(folder, seller.id, 'config'),
      TRADEPOST_STATE_DIR: join(folder, seller.id, 'state'),
      PORT: '0',
      PATH: [join(checkout, 'test/node_modules/.bin'), process.env.PATH].join(delimiter),
    },
  };
}
