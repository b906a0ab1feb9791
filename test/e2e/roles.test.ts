import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import type { SeedResult } from '@tradepost/server';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
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
  database = join(folder.path, 'tradepost.db');
  seed = await seedDatabase(database);
  inbox = await startReceiver();
  return async () => {
    await inbox.close();
    await folder.remove();
  };
});

function startWorker(args: string[] = []): RunningProcess {
  const whole = ['start', '--role', 'worker', '--database', database, '--allow-insecure-webhooks'];
  const worker = startProcess(process.execPath, [tradepostServerBin, ...whole, ...args]);
  onTestFinished(async () => {
    await worker.stop();
  });
  return worker;
}

async function startApi(args: string[]) {
  const server = await startServerProcess(database, args);
  onTestFinished(async () => {
    await server.stop();
  });
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

/** The priorities of a process's threads; Linux has one for each. */
function prioritiesOf({ pid }: RunningProcess): number[] {
  return readdirSync(`/proc/${pid}/task`).map((id) => getPriority(Number(id)));
}

it('delivers from a process of its own what the API of another process queued', async () => {
  const worker = startWorker();
  await worker.writes(/^delivering from /m);
  const { seller } = await startApi(['--role', 'api']);
  await confirmOrder(seller);
  await inbox.until(({ length }) => length === 1);
});

it('leaves deliveries alone where it only serves the API, until a worker comes', async () => {
  const { seller, server } = await startApi(['--role', 'api', '--metrics-port', '0']);
  await confirmOrder(seller);
  expect(await scrape(server)).toMatch(/^tradepost_delivery_queue_depth 1$/m);
  expect(inbox.arrivals).toEqual([]);
  startWorker();
  await inbox.until(({ length }) => length === 1);
});

it('counts in a thread of its own what it delivers, and tells it with what the API counts', async () => {
  const { seller, server } = await startApi(['--metrics-port', '0', '--log-level', 'debug']);
  await confirmOrder(seller);
  await server.writes(/"msg":"attempt"/, 'stderr');
  const text = await scrape(server);
  expect(text).toMatch(/^tradepost_deliveries_total\{outcome="delivered"\} 1$/m);
  expect(text).toMatch(/^tradepost_delivery_queue_depth 0$/m);
  expect(text).toMatch(/^tradepost_http_requests_total\{[^}]*route="\/v1\/webhooks"[^}]*\} 1$/m);
});

// Elsewhere threads have no priority of their own.
it.runIf(process.platform === 'linux')(
  'leaves the processor to requests first: of its threads one alone has a lower priority',
  async () => {
    const { server } = await startApi([]);
    const lowered = () => prioritiesOf(server).filter((priority) => priority > 0);
    await vi.waitFor(() => expect(lowered()).toHaveLength(1), 10_000);
    expect(getPriority(server.pid)).toBe(0);
  },
);

it.runIf(process.platform === 'linux')(
  'delivers at the low priority that it was started with',
  async () => {
    const args = ['-n', '15', process.execPath, tradepostServerBin, 'start', '--port', '0'];
    const own = ['--database', database, '--allow-insecure-webhooks'];
    const server = startProcess('nice', [...args, ...own]);
    onTestFinished(async () => {
      await server.stop();
    });
    const [, baseUrl = ''] = await server.writes(/^listening on (\S+)$/m);
    await confirmOrder(new Tradepost({ baseUrl, apiKey: seed.accounts[1]?.apiKey ?? '' }));
    await inbox.until(({ length }) => length === 1);
    expect(new Set(prioritiesOf(server))).toEqual(new Set([15]));
  },
);

it('ends a worker at SIGTERM with exit code 0', async () => {
  const worker = startWorker();
  await worker.writes(/^delivering from /m);
  expect(await worker.stop('SIGTERM')).toMatchObject({ code: 0, signal: null });
});

it('refuses a role that there is not, and names those that there are', async () => {
  const refused = startProcess(process.execPath, [tradepostServerBin, 'start', '--role', 'boss']);
  const { code, stderr } = await refused.exit;
  expect(code).toBe(2);
  expect(stderr).toContain('Allowed choices are all, api, worker');
});
