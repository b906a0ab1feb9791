import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { run } from '../../packages/cli/src/program';
import { Tradepost } from '../../packages/sdk/src/index';
import {
  createIdGenerator,
  createLog,
  insecureWebhookPolicy,
  openSqliteStore,
  seed,
  startServer,
  systemClock,
} from '../../packages/server/src/index';
import { checkout } from '../helpers/programs';
import { startHttpReceiver } from '../helpers/start-receiver';
import { temporaryFolder } from '../helpers/temporary-folder';
import { FileTrace } from './trace-files';

/** Returns the folder with the sources of a package. */
const sourceFolder = (name: string) =>
  join(checkout, 'packages', name, 'src/').replaceAll('\\', '/');

/** Reads the source files that the steps of a section of ARCHITECTURE.md name, each once. */
async function readNamedFiles(heading: string): Promise<string[]> {
  const text = await readFile(join(checkout, 'ARCHITECTURE.md'), 'utf8');
  const [, section] = text.split(`\n## ${heading}\n`);
  if (section === undefined) throw new Error(`ARCHITECTURE.md has no section "${heading}".`);
  const [own = ''] = section.split('\n## ');
  const steps = own.split('\n').filter((line) => /^(\d\. | {3})/.test(line));
  return [...new Set(steps.join('\n').match(/(?<=`)[\w/-]+\.ts(?=`)/g))].sort();
}

/** Starts a server from its sources, with demo data, a buyer, a seller and a receiver of the buyer's events. */
async function startTrade() {
  const folder = await temporaryFolder();
  const file = join(folder.path, 'tradepost.db');
  const store = openSqliteStore(file);
  const newId = createIdGenerator();
  const seeded = await seed(store, systemClock, newId);
  const server = await startServer({
    store,
    log: createLog('silent'),
    host: '127.0.0.1',
    port: 0,
    rateLimit: 6_000,
    webhookPolicy: insecureWebhookPolicy,
  });
  const receiver = await startHttpReceiver();
  onTestFinished(async () => {
    await server.close();
    await receiver.close();
    await folder.remove();
  });
  const client = (kind: string) => {
    const account = seeded.accounts.find((candidate) => candidate.kind === kind);
    return new Tradepost({ baseUrl: server.url, apiKey: account?.apiKey ?? '' });
  };
  return {
    server,
    seeded,
    buyer: client('buyer'),
    seller: client('seller'),
    url: receiver.url,
    /** Waits until no delivery is pending. Reads the file itself, so that no source file takes part. */
    async waitUntilDelivered() {
      const database = new Database(file, { readonly: true });
      try {
        const pending = database.prepare("SELECT count(*) FROM deliveries WHERE state = 'pending'");
        await expect.poll(() => pending.pluck().get()).toBe(0);
      } finally {
        database.close();
      }
    },
  };
}

/**
 * Compares a section of ARCHITECTURE.md with a trace. The section names every file that the flow runs through,
 * and no file that never runs. Some files run only at the start, or when a timer fires.
 *
 * @param maxFiles How many files a flow may run through, so that a newcomer can read it.
 */
async function expectFlow(
  heading: string,
  name: string,
  flow: readonly string[],
  lifetime: readonly string[],
  maxFiles: number,
): Promise<void> {
  const roots = new Map([[sourceFolder(name), '']]);
  // The server's own paths have no prefix.
  if (name === 'server') roots.set(sourceFolder('domain'), 'domain/');
  const inPackage = (files: readonly string[]) =>
    [...roots]
      .flatMap(([root, prefix]) =>
        files
          .filter((file) => file.startsWith(root))
          .map((file) => prefix + file.slice(root.length)),
      )
      .sort();
  const named = await readNamedFiles(heading);
  const traced = inPackage(flow);
  expect(named).toEqual(expect.arrayContaining(traced));
  expect([...new Set([...inPackage(lifetime), ...traced])]).toEqual(expect.arrayContaining(named));
  expect(traced.length).toBeLessThanOrEqual(maxFiles);
}

it('a PATCH, its delivery and the SDK call run through the files that ARCHITECTURE.md names', async () => {
  const trace = await FileTrace.start();
  onTestFinished(() => trace.stop());
  const trade = await startTrade();
  await trade.buyer.webhooks.create({ url: trade.url, events: ['order.status_changed'] });
  await expect(trade.buyer.orders.get('ord_none')).rejects.toThrow('404');
  const pending: { id: string }[] = trade.seeded.orders.filter(
    ({ status }) => status === 'pending',
  );
  const listingId = trade.seeded.listings[0]?.id ?? '';
  pending.push(await trade.buyer.orders.create({ listingId, quantity: 1 }));
  const confirm = async (order: { id: string } | undefined) => {
    await trade.seller.orders.update(order?.id ?? '', { status: 'confirmed' });
    await trade.waitUntilDelivered();
  };
  // A first run opens connections, fills caches and loads modules.
  await confirm(pending[0]);
  const lifetime = await trace.take();
  await confirm(pending[1]);
  const once = await trace.take();
  await confirm(pending[2]);
  const again = await trace.take();
  // On a slow machine, a timer may fire during one of them.
  const flow = once.filter((file) => again.includes(file));
  await expectFlow('One PATCH', 'server', flow, lifetime, 38);
  await expectFlow('One SDK call', 'sdk', flow, lifetime, 17);
});

it('`orders list` runs through the files that ARCHITECTURE.md names', async () => {
  const trace = await FileTrace.start();
  onTestFinished(() => trace.stop());
  const trade = await startTrade();
  const seller = trade.seeded.accounts.find(({ kind }) => kind === 'seller');
  let printed = '';
  const stream = () =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        printed += chunk.toString();
        done();
      },
    });
  const list = (status: string) =>
    run(['orders', 'list', '--status', status], {
      stdin: () => Readable.from([]) as never,
      stdout: stream(),
      stderr: stream(),
      env: {
        TRADEPOST_BASE_URL: trade.server.url,
        TRADEPOST_API_KEY: seller?.apiKey,
        TRADEPOST_CONFIG_DIR: '/dev/null/config',
        TRADEPOST_STATE_DIR: '/dev/null/state',
      },
      signal: new AbortController().signal,
      now: Date.now,
      elapsed: () => performance.now(),
      wait: async () => {},
    });
  expect(await list('no-status')).toBe(2);
  expect(await list('pending')).toBe(0);
  const lifetime = await trace.take();
  expect(await list('pending')).toBe(0);
  expect(printed).toContain('pending');
  await expectFlow('One CLI command', 'cli', await trace.take(), lifetime, 14);
});
