/**
 * What `pnpm dev` runs: the server with demo data, in one process and from the sources of all packages, so that nothing has to be
 * built. `tsx` starts it again after each change of a source. The data is stored in `.tradepost/dev/`.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createIdGenerator,
  createLog,
  insecureWebhookPolicy,
  openSqliteStore,
  type SeedResult,
  type Store,
  seed,
  startServer,
  systemClock,
} from '@tradepost/server';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(repository, '.tradepost/dev');
const seedFile = join(folder, 'seed.json');

/** Returns whether an earlier build has made a page. */
const isBuilt = (page: string) => existsSync(join(repository, 'packages/server/dist', page));

/** Returns the demo data of an earlier start, or creates it. */
async function loadOrSeed(store: Store): Promise<SeedResult> {
  if (existsSync(seedFile)) return JSON.parse(await readFile(seedFile, 'utf8')) as SeedResult;
  const data = await seed(store, systemClock, createIdGenerator());
  await writeFile(seedFile, `${JSON.stringify(data, null, 2)}\n`, { mode: 0o600 });
  return data;
}

await mkdir(folder, { recursive: true, mode: 0o700 });
const store = openSqliteStore(join(folder, 'tradepost.db'));
const { accounts } = await loadOrSeed(store);
const server = await startServer({
  store,
  log: createLog('warn'),
  host: '127.0.0.1',
  port: Number(process.env.PORT ?? 4010),
  rateLimit: 6_000,
  webhookPolicy: insecureWebhookPolicy,
  // The pages are made by a build.
  docs: isBuilt('api-docs'),
  console: isBuilt('console'),
});
/** Says how to open the console. One that Vite serves is of the sources too. */
function describeConsole(): string {
  const own = isBuilt('console') ? `${server.url}/console, as it was built; ` : '';
  return `Console: ${own}from its sources: npm run dev:console. Sign in with a key of these.`;
}

const keys = accounts.map(({ kind, apiKey }) => `  ${kind.padEnd(6)}  ${apiKey}`);
process.stdout.write(
  `\nTradepost is running from its sources at ${server.url}\n${keys.join('\n')}\n${describeConsole()}\n`,
);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void server.close();
  });
}
