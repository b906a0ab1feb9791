import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import { expect, it, onTestFinished, vi } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { tradepostServerBin } from '../../helpers/programs';
import { registerWebhook } from '../../helpers/register-webhook';
import { seedDatabase } from '../../helpers/seed';
import { type RunningProcess, startProcess } from '../../helpers/start-process';
import { startHttpReceiver } from '../../helpers/start-receiver';
import { temporaryFolder } from '../../helpers/temporary-folder';

const descriptors = 200;

/** Starts the server with a low limit of open files. */
async function start(args: readonly string[]) {
  const folder = await forTest(temporaryFolder());
  const database = join(folder.path, 'tradepost.db');
  const seed = await seedDatabase(database);
  const command = [process.execPath, tradepostServerBin, 'start', '--port', '0'];
  const own = ['--database', database, '--allow-insecure-webhooks', ...args];
  const limited = `ulimit -n ${descriptors} && exec "$@"`;
  const server: RunningProcess = forTest(
    startProcess('/bin/sh', ['-c', limited, 'sh', ...command, ...own]),
  );
  return { server, seed };
}

it.runIf(process.platform !== 'win32')(
  'the server keeps file descriptors for deliveries when clients open connections without limit',
  async () => {
    const { server, seed } = await start(['--log-level', 'debug']);
    const [, baseUrl = ''] = await server.writes(/^listening on (\S+)$/m);
    const receiver = await forTest(startHttpReceiver());
    const buyer = new Tradepost({ baseUrl, apiKey: seed.accounts[0]?.apiKey ?? '' });
    const { id } = await registerWebhook(buyer, { url: receiver.url, events: ['order.created'] });

    const { port, hostname: host } = new URL(baseUrl);
    const flood = Array.from({ length: 3 * descriptors }, () => {
      const socket = connect(Number(port), host);
      return socket.on('error', () => {});
    });
    onTestFinished(() => {
      for (const socket of flood) socket.destroy();
    });
    await server.writes(/connections rejected: the limit is reached/, 'stderr');
    // The client's connection was opened before the flood.
    await buyer.orders.create({ listingId: seed.listings[0]?.id ?? '', quantity: 1 });
    await receiver.until(({ length }) => length === 1);
    await server.writes(/"msg":"attempt"/, 'stderr');
    const { data } = await buyer.deliveries.list({ webhookId: id });
    expect(data).toMatchObject([{ lastStatus: 204, lastError: null }]);
    expect(server.stderr()).not.toMatch(/out of sockets|EMFILE|died/);

    for (const socket of flood) socket.destroy();
    await Promise.all(flood.map((socket) => socket.closed || once(socket, 'close')));
    // The server closes its own ends a little later; until then it still rejects connections.
    await vi.waitFor(async () => expect((await fetch(`${baseUrl}/readyz`)).status).toBe(200), {
      timeout: 20_000,
    });
  },
  60_000,
);

it.runIf(process.platform !== 'win32')(
  'the server exits at the start, with advice, if --max-connections exceeds what the system allows',
  async () => {
    const { server } = await start(['--max-connections', '5000']);
    const { code, stderr } = await server.exit;
    expect(code).toBe(1);
    expect(stderr).toMatch(/--max-connections 5000 is too high: .*ulimit -n/);
  },
  60_000,
);
