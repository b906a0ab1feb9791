import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import type { SeedResult } from '@tradepost/server';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { forTest } from '../helpers/for-test';
import { tradepostServerBin } from '../helpers/programs';
import { registerWebhook } from '../helpers/register-webhook';
import { runServerCommand } from '../helpers/run-server-command';
import { seedDatabase } from '../helpers/seed';
import { runProcess, startProcess } from '../helpers/start-process';
import { startPausedReceiver, startReceiver } from '../helpers/start-receiver';
import { startServerProcess } from '../helpers/start-server-process';
import { temporaryFolder } from '../helpers/temporary-folder';

let database: string;
let seed: SeedResult;

beforeEach(async () => {
  const folder = await temporaryFolder();
  // Registered first, so that it runs last.
  onTestFinished(() => folder.remove());
  database = join(folder.path, 'tradepost.db');
  seed = await seedDatabase(database);
});

async function start(args: string[] = []) {
  const server = await forTest(startServerProcess(database, args));
  const client = (index: number) =>
    new Tradepost({ baseUrl: server.url, apiKey: seed.accounts[index]?.apiKey ?? '' });
  return { server, buyer: client(0), seller: client(1) };
}

it('the server delivers after kill -9 and a restart what it had acknowledged before', async () => {
  let isFailing = true;
  const inbox = await forTest(startReceiver(() => (isFailing ? 503 : 204)));

  const before = await start();
  const events = ['order.status_changed' as const];
  await before.seller.webhooks.create({ url: inbox.url, events });
  const { id } = seed.orders[0] ?? { id: '' };
  await before.seller.orders.update(id, { status: 'confirmed' });
  await before.server.writes(/"msg":"attempt"/, 'stderr');
  await before.server.stop('SIGKILL');

  isFailing = false;
  const after = await start();
  const arrivals = await inbox.until(({ length }) => length >= 2);
  expect(new Set(arrivals.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(await after.buyer.orders.get(id)).toMatchObject({ status: 'confirmed' });
});

it('the server sends deliveries that kill -9 interrupted again at once', async () => {
  const hanging = await forTest(startPausedReceiver());
  const before = await start();
  const events = ['order.status_changed' as const];
  await before.seller.webhooks.create({ url: hanging.url, events });
  const { id } = seed.orders[0] ?? { id: '' };
  await before.seller.orders.update(id, { status: 'confirmed' });
  await hanging.until(({ length }) => length === 1);
  await before.server.stop('SIGKILL');

  hanging.resume();
  const after = await start();
  const arrivals = await hanging.until(({ length }) => length === 2);
  expect(new Set(arrivals.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  // Otherwise it waited until the lease ran out.
  await after.server.writes(/"released":1,"msg":"a worker died/, 'stderr');
});

it('a worker takes over from one that was killed, but not from one that hangs', async () => {
  const hanging = await forTest(startPausedReceiver());
  const startWorker = async () => {
    const args = ['start', '--role', 'worker', '--database', database, '--allow-insecure-webhooks'];
    const worker = startProcess(process.execPath, [tradepostServerBin, ...args]);
    onTestFinished(async () => {
      await worker.stop('SIGKILL');
    });
    await worker.writes(/^delivering from /m);
    return worker;
  };
  const { seller } = await start(['--role', 'api']);
  const hung = await startWorker();
  await seller.webhooks.create({ url: hanging.url, events: ['order.status_changed'] });
  const confirm = (order: { id: string } | undefined) =>
    seller.orders.update(order?.id ?? '', { status: 'confirmed' });
  const pending = seed.orders.filter(({ status }) => status === 'pending');
  await confirm(pending[0]);
  const [interrupted] = await hanging.until(({ length }) => length === 1);
  process.kill(hung.pid ?? 0, 'SIGSTOP');

  hanging.resume();
  const living = await startWorker();
  await confirm(pending[1]);
  const [, other] = await hanging.until(({ length }) => length === 2);
  const eventId = interrupted?.headers['webhook-id'];
  expect(other?.headers['webhook-id']).not.toBe(eventId);
  expect(living.stderr()).not.toContain('a worker died');

  await hung.stop('SIGKILL');
  await living.writes(/"released":1,"msg":"a worker died/, 'stderr');
  const [, , again] = await hanging.until(({ length }) => length === 3);
  expect(again?.headers['webhook-id']).toBe(eventId);
});

it('the server keeps accounts, keys, orders and notifications over a clean stop', async () => {
  const before = await start();
  const orders = await before.buyer.orders.list().toArray({ limit: 100 });
  const notifications = await before.buyer.notifications.list().toArray({ limit: 100 });
  expect((await before.server.stop('SIGTERM')).code).toBe(0);

  const after = await start();
  expect(await after.buyer.orders.list().toArray({ limit: 100 })).toEqual(orders);
  expect(await after.buyer.notifications.list().toArray({ limit: 100 })).toEqual(notifications);
});

it('tradepost-server creates, lists and revokes keys beside a running server', async () => {
  const { server } = await start();
  const [account] = seed.accounts;
  const issued = await runServerCommand<{ id: string; apiKey: string }>(
    ['keys', 'create', '--account', account?.id ?? '', '--read-only', '--expires', '1h'],
    database,
  );
  const reader = new Tradepost({ baseUrl: server.url, apiKey: issued.apiKey });
  expect((await reader.orders.list()).data.length).toBeGreaterThan(0);
  const listing = { listingId: seed.listings[0]?.id ?? '', quantity: 1 };
  await expect(reader.orders.create(listing)).rejects.toMatchObject({ code: 'read_only_api_key' });

  const keys = await runServerCommand<{ id: string; lastUsedAt: string | null }[]>(
    ['keys', 'list'],
    database,
  );
  expect(keys.map(({ id }) => id)).toContain(issued.id);
  expect(JSON.stringify(keys)).not.toContain(issued.apiKey);

  await runServerCommand(['keys', 'revoke', issued.id], database);
  await expect(reader.orders.list()).rejects.toMatchObject({ code: 'invalid_api_key' });
});

it('`keys list` shows the last use of each key, and which were never used', async () => {
  const { server, buyer } = await start();
  const startedAt = Date.now();
  await buyer.orders.list();
  await server.stop('SIGTERM');
  const keys = await runServerCommand<{ accountId: string; lastUsedAt: string | null }[]>(
    ['keys', 'list'],
    database,
  );
  const [{ id: buyerId } = { id: '' }] = seed.accounts;
  const used = keys.filter(({ lastUsedAt }) => lastUsedAt !== null);
  expect(used.map(({ accountId }) => accountId)).toEqual([buyerId]);
  const usedAt = Date.parse(used[0]?.lastUsedAt ?? '');
  expect(usedAt).toBeGreaterThan(startedAt - 60_000);
  expect(usedAt % 60_000).toBe(0);
  const args = [tradepostServerBin, 'keys', 'list', '--account', seed.accounts[1]?.id ?? ''];
  const people = await runProcess(process.execPath, [...args, '--database', database]);
  expect(people.stdout).toMatch(/^lastUsedAt {2}never used$/m);
});

it('the server logs no key, no secret and no body', async () => {
  const inbox = await forTest(startReceiver());
  const { server, buyer } = await start(['--log-level', 'debug']);
  const events = ['order.created' as const];
  const { secret } = await registerWebhook(buyer, { url: `${inbox.url}?token=hush`, events });
  await buyer.orders.create({ listingId: seed.listings[0]?.id ?? '', quantity: 1 });
  await inbox.until(({ length }) => length === 1);
  await expect(buyer.orders.get(seed.accounts[0]?.apiKey ?? '')).rejects.toMatchObject({
    code: 'order_not_found',
  });
  const { stdout, stderr, code } = await server.stop('SIGTERM');

  expect(code).toBe(0);
  expect(stdout).toMatch(/^listening on \S+\n$/);
  const lines = stderr.trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(
    expect.arrayContaining(['request', 'attempt', 'the server is stopping', 'the server stopped']),
  );
  for (const secretText of [seed.accounts[0]?.apiKey ?? '', secret, 'hush']) {
    expect(stderr).not.toContain(secretText);
  }
});
