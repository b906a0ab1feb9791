import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import type { SeedResult } from '@tradepost/server';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { forTest } from '../helpers/for-test';
import { tradepostServerBin } from '../helpers/programs';
import { seedDatabase } from '../helpers/seed';
import { type RunningProcess, startProcess } from '../helpers/start-process';
import { type Receiver, startReceiver } from '../helpers/start-receiver';
import { startServerProcess } from '../helpers/start-server-process';
import { temporaryFolder } from '../helpers/temporary-folder';

let database: string;
let seed: SeedResult;
let inbox: Receiver;

beforeEach(async () => {
  const folder = await temporaryFolder();
  // Registered first, so that it runs last.
  onTestFinished(() => folder.remove());
  database = join(folder.path, 'tradepost.db');
  seed = await seedDatabase(database);
  inbox = await startReceiver();
  onTestFinished(() => inbox.close());
});

function startWorker(args: string[] = []): RunningProcess {
  const command = [
    'start',
    '--role',
    'worker',
    '--database',
    database,
    '--allow-insecure-webhooks',
  ];
  return forTest(startProcess(process.execPath, [tradepostServerBin, ...command, ...args]));
}

async function startApi(args: string[]) {
  const server = await forTest(startServerProcess(database, args));
  return {
    server,
    seller: new Tradepost({ baseUrl: server.url, apiKey: seed.accounts[1]?.apiKey ?? '' }),
  };
}

async function confirmOrder(seller: Tradepost): Promise<void> {
  await seller.webhooks.create({ url: inbox.url, events: ['order.status_changed'] });
  await seller.orders.update(seed.orders[0]?.id ?? '', { status: 'confirmed' });
}

async function scrape(process: RunningProcess): Promise<string> {
  const [, url = ''] = await process.writes(/^metrics on (\S+)$/m);
  return (await fetch(url)).text();
}

/** Reads the priorities of a process's threads. Linux only. */
function readPriorities({ pid }: RunningProcess): number[] {
  return readdirSync(`/proc/${pid}/task`).map((id) => getPriority(Number(id)));
}

it('a server with role api makes no deliveries until a worker starts', async () => {
  const { seller, server } = await startApi(['--role', 'api', '--metrics-port', '0']);
  await confirmOrder(seller);
  expect(await scrape(server)).toMatch(/^tradepost_delivery_queue_depth 1$/m);
  expect(inbox.arrivals).toEqual([]);
  const worker = startWorker();
  await inbox.until(({ length }) => length === 1);
  expect(await worker.stop('SIGTERM')).toMatchObject({ code: 0, signal: null });
});

it('an unknown role is rejected, with the known ones', async () => {
  const args = [tradepostServerBin, 'start', '--role', 'boss'];
  const { code, stderr } = await startProcess(process.execPath, args).exit;
  expect(code).toBe(2);
  expect(stderr).toContain('Allowed choices are all, api, worker');
});

it('the metrics include the counters of the engine thread and of the API', async () => {
  const { seller, server } = await startApi(['--metrics-port', '0', '--log-level', 'debug']);
  await confirmOrder(seller);
  await server.writes(/"msg":"attempt"/, 'stderr');
  const text = await scrape(server);
  expect(text).toMatch(/^tradepost_deliveries_total\{outcome="delivered"\} 1$/m);
  expect(text).toMatch(/^tradepost_delivery_queue_depth 0$/m);
  expect(text).toMatch(/^tradepost_http_requests_total\{[^}]*route="\/v1\/webhooks"[^}]*\} 1$/m);
  // A file has no connections.
  expect(text).not.toContain('tradepost_database_');
});

// Only Linux has a priority for each thread.
it.runIf(process.platform === 'linux')(
  'the engine thread alone has a lower priority than the requests',
  async () => {
    const { server } = await startApi([]);
    const lowered = () => readPriorities(server).filter((priority) => priority > 0);
    await vi.waitFor(() => expect(lowered()).toHaveLength(1), 10_000);
    expect(getPriority(server.pid)).toBe(0);
  },
);

it.runIf(process.platform === 'linux')(
  'a server that was started with a low priority keeps it and delivers',
  async () => {
    // One step below the engine's own level, so that other work does not starve the server.
    const args = ['-n', '6', process.execPath, tradepostServerBin, 'start', '--port', '0'];
    const own = ['--database', database, '--allow-insecure-webhooks'];
    const server = forTest(startProcess('nice', [...args, ...own]));
    const [, baseUrl = ''] = await server.writes(/^listening on (\S+)$/m);
    await confirmOrder(new Tradepost({ baseUrl, apiKey: seed.accounts[1]?.apiKey ?? '' }));
    await inbox.until(({ length }) => length === 1);
    expect(new Set(readPriorities(server))).toEqual(new Set([6]));
  },
);
