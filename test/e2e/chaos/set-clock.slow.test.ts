import { writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import { expect, it, onTestFinished, vi } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { checkout, tradepostServerBin } from '../../helpers/programs';
import { registerWebhook } from '../../helpers/register-webhook';
import { seedDatabase } from '../../helpers/seed';
import { startFaultyReceiver } from '../../helpers/start-faulty-receiver';
import { startProcess } from '../../helpers/start-process';
import { startReceiver } from '../../helpers/start-receiver';
import { temporaryFolder } from '../../helpers/temporary-folder';

const hour = 3_600_000;
/** The first retry comes after about 5 s. In milliseconds, with time for a slow machine. */
const retryTimeoutMs = 30_000;

/** Starts the server with a clock that the test sets. */
async function start() {
  const folder = await forTest(temporaryFolder());
  const database = join(folder.path, 'tradepost.db');
  const { accounts, orders } = await seedDatabase(database);
  const offsetFile = join(folder.path, 'clock-offset');
  const setClock = (offset: number) => writeFile(offsetFile, String(offset));
  await setClock(0);
  const preload = ['--import', join(checkout, 'test/helpers/settable-clock.mjs')];
  const args = ['start', '--port', '0', '--database', database, '--allow-insecure-webhooks'];
  const server = forTest(
    startProcess(process.execPath, [...preload, tradepostServerBin, ...args], {
      env: { CLOCK_OFFSET_FILE: offsetFile },
    }),
  );
  const [, baseUrl = ''] = await server.writes(/^listening on (\S+)$/m);
  const seller = new Tradepost({ baseUrl, apiKey: accounts[1]?.apiKey ?? '' });
  return { server, seller, orders, setClock };
}

it('a clock that is set back during an attempt does not delay the retry', async () => {
  const { server, seller, orders, setClock } = await start();
  let requests = 0;
  const sockets: Socket[] = [];
  const receiver = await startFaultyReceiver((socket) => {
    requests += 1;
    if (requests === 1) sockets.push(socket);
    else socket.end('HTTP/1.1 204 No Content\r\n\r\n');
  });
  onTestFinished(receiver.close);
  const { id } = await registerWebhook(seller, {
    url: receiver.url,
    events: ['order.status_changed'],
  });
  await seller.orders.update(orders[0]?.id ?? '', { status: 'confirmed' });
  await vi.waitFor(() => expect(sockets).toHaveLength(1), 10_000);

  await setClock(-hour);
  await server.writes(/the clock was set; adjusting deliveries/, 'stderr');
  const startedAt = performance.now();
  sockets[0]?.end('HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n');
  await vi.waitFor(() => expect(requests).toBe(2), { timeout: retryTimeoutMs, interval: 100 });
  expect(performance.now() - startedAt).toBeLessThan(retryTimeoutMs);
  await vi.waitFor(async () => {
    const { data } = await seller.deliveries.list({ webhookId: id });
    expect(data).toMatchObject([{ state: 'delivered', attemptCount: 2 }]);
  }, 10_000);
}, 60_000);

it('a clock that is set back by an hour does not delay a retry, a new delivery or a rate limit', async () => {
  const receiver = await forTest(startReceiver((number) => (number === 1 ? 500 : 204)));
  const { server, seller, orders, setClock } = await start();
  await seller.webhooks.create({ url: receiver.url, events: ['order.status_changed'] });
  await seller.orders.update(orders[0]?.id ?? '', { status: 'confirmed' });
  await server.writes(/"status":500.*"msg":"attempt"/, 'stderr');

  await setClock(-hour);
  const startedAt = performance.now();
  await seller.orders.update(orders[0]?.id ?? '', { status: 'fulfilling' });
  const arrivals = await receiver.until(({ length }) => length === 3);
  expect(performance.now() - startedAt).toBeLessThan(retryTimeoutMs);
  const ids = arrivals.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(2);
  expect(server.stderr()).toMatch(/the clock was set; adjusting deliveries/);

  await setClock(hour);
  await seller.orders.update(orders[0]?.id ?? '', { status: 'completed' });
  await receiver.until(({ length }) => length === 4);
  expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });
}, 60_000);
