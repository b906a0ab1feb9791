import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { wait } from '../../packages/cli/src/context';
import { run } from '../../packages/cli/src/run';
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
import { temporaryFolder } from '../helpers/temporary-folder';
import { FileTrace } from './trace-files';

/** The sources of a package. */
const sources = (name: string) => join(checkout, 'packages', name, 'src/').replaceAll('\\', '/');

/** The source files that the steps of a section of ARCHITECTURE.md name, each once. */
async function filesNamedIn(heading: string): Promise<string[]> {
  const text = await readFile(join(checkout, 'ARCHITECTURE.md'), 'utf8');
  const [, section] = text.split(`\n## ${heading}\n`);
  if (section === undefined) throw new Error(`ARCHITECTURE.md has no section "${heading}".`);
  const [own = ''] = section.split('\n## ');
  const steps = own.split('\n').filter((line) => /^(\d\. | {3})/.test(line));
  return [...new Set(steps.join('\n').match(/(?<=`)[\w/-]+\.ts(?=`)/g))].sort();
}

/** A server from its sources, with demo data, a buyer, a seller and a receiver of the buyer's events. */
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
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  onTestFinished(async () => {
    await server.close();
    receiver.close();
    await folder.remove();
  });
  const client = (kind: string) => {
    const account = seeded.accounts.find((one) => one.kind === kind);
    return new Tradepost({ baseUrl: server.url, apiKey: account?.apiKey ?? '' });
  };
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  return {
    server,
    seeded,
    buyer: client('buyer'),
    seller: client('seller'),
    url,
    /** Waits until no delivery is pending any more. Reads the file itself, so that no source takes part. */
    async delivered() {
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
 * Compares a walk of ARCHITECTURE.md with a trace. The walk has every file that the flow ran through, and no
 * file that nothing runs through: some files take part only at the start, or when a timer fires.
 *
 * @param most How many files a flow may run through, so that a newcomer can read it.
 */
async function expectWalk(
  heading: string,
  name: string,
  flow: readonly string[],
  lifetime: readonly string[],
  most: number,
): Promise<void> {
  const inPackage = (files: readonly string[]) =>
    files
      .filter((file) => file.startsWith(sources(name)))
      .map((file) => file.slice(sources(name).length))
      .sort();
  const walk = await filesNamedIn(heading);
  const traced = inPackage(flow);
  expect(walk).toEqual(expect.arrayContaining(traced));
  expect([...new Set([...inPackage(lifetime), ...traced])]).toEqual(expect.arrayContaining(walk));
  expect(traced.length).toBeLessThanOrEqual(most);
}

it('a PATCH, its delivery and the SDK call run through the files that ARCHITECTURE.md names', async () => {
  const trace = await FileTrace.start();
  onTestFinished(() => trace.stop());
  const trade = await startTrade();
  await trade.buyer.webhooks.create({ url: trade.url, events: ['order.status_changed'] });
  await expect(trade.buyer.orders.get('ord_none')).rejects.toThrow('404');
  const pending = trade.seeded.orders.filter(({ status }) => status === 'pending');
  const confirm = async (order: { id: string } | undefined) => {
    await trade.seller.orders.update(order?.id ?? '', { status: 'confirmed' });
    await trade.delivered();
  };
  // Once before: connections are open, caches are filled, modules are loaded.
  await confirm(pending[0]);
  const lifetime = await trace.take();
  await confirm(pending[1]);
  const flow = await trace.take();
  await expectWalk('One PATCH', 'server', flow, lifetime, 28);
  await expectWalk('One SDK call', 'sdk', flow, lifetime, 15);
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
      wait,
    });
  expect(await list('no-status')).toBe(2);
  expect(await list('pending')).toBe(0);
  const lifetime = await trace.take();
  expect(await list('pending')).toBe(0);
  expect(printed).toContain('pending');
  await expectWalk('One CLI command', 'cli', await trace.take(), lifetime, 18);
});
