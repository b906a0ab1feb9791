import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import { expect, it, onTestFinished, vi } from 'vitest';
import { tradepostServerBin } from '../../helpers/programs';
import { seedDatabase } from '../../helpers/seed';
import { startHoldingReceiver } from '../../helpers/start-holding-receiver';
import { type RunningProcess, startProcess } from '../../helpers/start-process';
import { temporaryFolder } from '../../helpers/temporary-folder';

const descriptors = 200;

/** Starts the server as an operator with a low limit of open files does. */
async function start(args: readonly string[]) {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const database = join(folder.path, 'tradepost.db');
  const world = await seedDatabase(database);
  const command = [process.execPath, tradepostServerBin, 'start', '--port', '0'];
  const own = ['--database', database, '--allow-insecure-webhooks', ...args];
  const limited = `ulimit -n ${descriptors} && exec "$@"`;
  const server: RunningProcess = startProcess('/bin/sh', ['-c', limited, 'sh', ...command, ...own]);
  onTestFinished(async () => {
    await server.stop();
  });
  return { server, world };
}

it.runIf(process.platform !== 'win32')(
  'clients without end leave file descriptors for deliveries, and the process goes on',
  async () => {
    const { server, world } = await start(['--log-level', 'debug']);
    const [, baseUrl = ''] = await server.writes(/^listening on (\S+)$/m);
    const receiver = await startHoldingReceiver();
    onTestFinished(receiver.close);
    receiver.release();
    const buyer = new Tradepost({ baseUrl, apiKey: world.accounts[0]?.apiKey ?? '' });
    const { id } = await buyer.webhooks.create({ url: receiver.url, events: ['order.created'] });

    const { port, hostname: host } = new URL(baseUrl);
    const flood = Array.from({ length: 3 * descriptors }, () => {
      const socket = connect(Number(port), host);
      return socket.on('error', () => {});
    });
    onTestFinished(() => {
      for (const socket of flood) socket.destroy();
    });
    await server.writes(/connections rejected: the limit is reached/, 'stderr');
    // The client has a connection of its own since before the flood.
    await buyer.orders.create({ listingId: world.listings[0]?.id ?? '', quantity: 1 });
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
  'more connections than the system allows are refused at the start, with what to do',
  async () => {
    const { server } = await start(['--max-connections', '5000']);
    const { code, stderr } = await server.exit;
    expect(code).toBe(1);
    expect(stderr).toMatch(/--max-connections 5000 is too high: .*ulimit -n/);
  },
  60_000,
);
