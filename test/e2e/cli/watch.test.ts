import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import type { SeedResult } from '@tradepost/server';
import { expect, it, onTestFinished } from 'vitest';
import { placeOrders } from '../../helpers/place-orders';
import { tradepostBin } from '../../helpers/programs';
import { runCli } from '../../helpers/run-cli';
import { runServerCommand } from '../../helpers/run-server-command';
import { startProcess } from '../../helpers/start-process';
import { startSeededServer } from '../../helpers/start-seeded-server';
import { startServerProcess } from '../../helpers/start-server-process';
import { temporaryFolder } from '../../helpers/temporary-folder';

interface Change {
  createdAt: string;
  event: string;
  orderId: string;
  from: string | null;
  to: string;
}

function parseLines(stdout: string): Change[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

it('orders watch prints changes of orders as they happen, and Ctrl-C ends it', async () => {
  const seeded = await startSeededServer();
  onTestFinished(seeded.close);
  const env = seeded.createEnvironment(seeded.seller);
  const watcher = startProcess(
    process.execPath,
    [tradepostBin, 'orders', 'watch', '--since', '1h', '--output', 'ndjson'],
    { env },
  );
  onTestFinished(async () => {
    await watcher.stop('SIGKILL');
  });
  // Earlier changes are printed first. After them it certainly polls.
  await watcher.writes(/"to":"cancelled"/);
  const [id = ''] = await placeOrders(seeded, 1);
  await watcher.writes(new RegExp(`"orderId":"${id}","from":null,"to":"pending"`));
  await runCli(['orders', 'set-status', id, 'fulfilling'], env);
  await watcher.writes(new RegExp(`"orderId":"${id}","from":"pending","to":"fulfilling"`));
  const { code, stdout, stderr } = await watcher.stop('SIGINT');
  expect({ code, stderr }).toEqual({
    code: 130,
    stderr:
      '{"error":{"code":"interrupted","message":"Interrupted","status":null,"requestId":null,"hint":null,"errors":[]}}\n',
  });
  expect(parseLines(stdout).filter(({ orderId }) => orderId === id)).toEqual([
    {
      createdAt: expect.any(String),
      event: 'order.created',
      orderId: id,
      from: null,
      to: 'pending',
      reason: null,
    },
    {
      createdAt: expect.any(String),
      event: 'order.status_changed',
      orderId: id,
      from: 'pending',
      to: 'fulfilling',
      reason: null,
    },
  ]);
});

it('orders watch prints only the requested orders and status', async () => {
  const seeded = await startSeededServer();
  onTestFinished(seeded.close);
  const env = seeded.createEnvironment(seeded.seller);
  const [watched = '', other = ''] = await placeOrders(seeded, 2);
  const { orders } = new Tradepost({ baseUrl: seeded.server.url, apiKey: seeded.seller.apiKey });
  for (const id of [other, watched]) await orders.update(id, { status: 'confirmed' });
  const watcher = startProcess(
    process.execPath,
    [tradepostBin, 'orders', 'watch', watched, '--status', 'confirmed', '--since', '1h'],
    { env },
  );
  await watcher.writes(/confirmed/);
  const { stdout } = await watcher.stop('SIGINT');
  expect(stdout.split('\n').slice(1)).toEqual([
    expect.stringMatching(
      new RegExp(`^\\S+  ${watched}  pending     confirmed   order\\.status_changed$`),
    ),
    '',
  ]);
});

it('orders watch exits with 9 when the service disappears', async () => {
  const seeded = await startSeededServer();
  onTestFinished(seeded.close);
  const watcher = startProcess(
    process.execPath,
    [tradepostBin, 'orders', 'watch', '--since', '1h', '--reconnect-timeout', '0'],
    { env: seeded.createEnvironment(seeded.seller) },
  );
  await watcher.writes(/cancelled/);
  await seeded.server.stop('SIGKILL');
  const { code, stderr } = await watcher.exit;
  expect(code).toBe(9);
  expect(stderr).toMatch(/^error: .*\nhint: /s);
});

it('orders watch continues after a restart of the service', async () => {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const database = join(folder.path, 'tradepost.db');
  const seed = await runServerCommand<SeedResult>(['seed'], database);
  const [buyer, seller] = seed.accounts;
  const [listing] = seed.listings;
  if (!(buyer && seller && listing)) throw new Error('The seed has too few accounts or listings.');
  const before = await startServerProcess(database);
  onTestFinished(() => void before.stop());
  const watcher = startProcess(
    process.execPath,
    [tradepostBin, 'orders', 'watch', '--since', '1h', '--output', 'ndjson'],
    { env: { TRADEPOST_BASE_URL: before.url, TRADEPOST_API_KEY: seller.apiKey } },
  );
  onTestFinished(() => void watcher.stop('SIGKILL'));
  await watcher.writes(/"to":"cancelled"/);
  await before.stop('SIGKILL');
  await watcher.writes(/Retrying for up to 5 minutes\./, 'stderr');
  const after = await startServerProcess(database, ['--port', new URL(before.url).port]);
  onTestFinished(() => void after.stop());
  const { orders } = new Tradepost({ baseUrl: after.url, apiKey: buyer.apiKey });
  const { id } = await orders.create({ listingId: listing.id, quantity: 1 });
  await watcher.writes(new RegExp(`"orderId":"${id}"`));
  const { stdout } = await watcher.stop('SIGINT');
  const seen = parseLines(stdout).map((change) => JSON.stringify(change));
  expect(new Set(seen).size).toBe(seen.length);
}, 60_000);

it('orders watch exits at the next line after its reader has closed the pipe', async () => {
  const seeded = await startSeededServer();
  onTestFinished(seeded.close);
  const watch = '"$NODE" "$TRADEPOST" orders watch --since 1h --output ndjson';
  const piped = startProcess('sh', ['-c', `{ ${watch}; echo "code $?" >&2; } | head -n 1`], {
    env: {
      ...seeded.createEnvironment(seeded.seller),
      NODE: process.execPath,
      TRADEPOST: tradepostBin,
    },
  });
  let hasExited = false;
  const exit = piped.exit.finally(() => {
    hasExited = true;
  });
  await piped.writes(/\n/);
  // Only writing another line reveals that the reader is gone.
  while (!hasExited) await placeOrders(seeded, 1);
  expect((await exit).stderr).toBe('code 0\n');
});
