import { createServer } from 'node:http';
import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import { verifyDelivery } from '@tradepost/sdk/webhooks';
import { expect, it, onTestFinished } from 'vitest';
import { Arrivals } from '../../helpers/arrivals';
import { closeServer, listenOnLoopback } from '../../helpers/loopback';
import { tradepostBin } from '../../helpers/programs';
import { runCli } from '../../helpers/run-cli';
import { startProcess } from '../../helpers/start-process';
import { startSeededServer } from '../../helpers/start-seeded-server';
import { temporaryFolder } from '../../helpers/temporary-folder';

/** A server, a receiver on this machine, and a listener between them. */
async function stage() {
  const seeded = await startSeededServer();
  onTestFinished(seeded.close);
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const arrivals = new Arrivals();
  const server = createServer(async (request, response) => {
    await arrivals.record(request);
    response.writeHead(204).end();
    arrivals.notify();
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}/webhooks`;
  onTestFinished(() => closeServer(server));

  const env = {
    ...seeded.createEnvironment(seeded.seller),
    TRADEPOST_STATE_DIR: join(folder.path, 'state'),
  };
  const argv = ['webhooks', 'listen', '--forward-to', url, '--output', 'ndjson'];
  const listen = (...options: string[]) => {
    const process_ = startProcess(process.execPath, [tradepostBin, ...argv, ...options], { env });
    onTestFinished(async () => {
      await process_.stop('SIGKILL');
    });
    return process_;
  };
  const { orders } = new Tradepost({
    baseUrl: seeded.server.url,
    apiKey: seeded.buyer.apiKey,
  });
  const listingId = seeded.seed.listings[0]?.id ?? '';
  const place = async (count: number) => {
    const placed: string[] = [];
    for (let number = 0; number < count; number += 1) {
      placed.push((await orders.create({ listingId, quantity: 1 })).id);
    }
    return placed;
  };
  /** The orders whose creation the receiver heard of, in that order. */
  const heard = () =>
    arrivals.all.flatMap(({ body }) => {
      const { event, data } = JSON.parse(String(body));
      return event === 'order.created' ? [data.orderId] : [];
    });
  return { seeded, env, argv, listen, place, heard, arrivals };
}

it('a receiver on this machine gets what happens, in order, also what happened while nobody listened', async () => {
  const { listen, place, heard, arrivals, argv, env } = await stage();
  const first = listen();
  const [, secret = ''] = await first.writes(/(whsec_\S+)/, 'stderr');
  const early = await place(3);
  await arrivals.until(() => heard().length === 3);

  const second = await runCli(argv, env);
  expect(second.code).toBe(1);
  expect(second.stderr).toContain('is in use by');

  const stopped = await first.stop('SIGINT');
  expect(stopped.code).toBe(130);
  expect(stopped.stderr).toContain('Run it again to continue.');
  const rows = stopped.stdout.trim().split('\n');
  expect(rows.map((row) => JSON.parse(row).id)).toEqual(
    arrivals.all.map(({ headers }) => headers['webhook-id']),
  );
  for (const { body: payload, headers } of arrivals.all) {
    const verified = verifyDelivery({ payload, headers, secret, requireTimestamp: true });
    await expect(verified).resolves.toBeTruthy();
    expect(headers.authorization).toBeUndefined();
  }

  const missed = await place(2);
  const next = listen();
  await arrivals.until(() => heard().length === 5);
  // A power failure has nothing tidied up.
  await next.stop('SIGKILL');
  const late = await place(1);
  listen();
  await arrivals.until(() => heard().includes(late[0] ?? ''));
  // What was acknowledged at the very moment of the kill may come twice, but in its place.
  expect([...new Set(heard())]).toEqual([...early, ...missed, ...late]);
});

it('a service that goes away ends it with 9, and the place is kept', async () => {
  const { seeded, listen, place, heard, arrivals } = await stage();
  const listener = listen('--reconnect-timeout', '0');
  await listener.writes(/whsec_/, 'stderr');
  await place(1);
  await arrivals.until(() => heard().length === 1);
  await listener.writes(/order\.created/);
  await seeded.server.stop();
  const { code, stderr } = await listener.exit;
  expect(code).toBe(9);
  expect(stderr).toContain('Run it again to continue.');
});
