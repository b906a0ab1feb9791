import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import { verifyDelivery } from '@tradepost/sdk/webhooks';
import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { runCli, startCli } from '../../helpers/run-cli';
import { startHttpReceiver } from '../../helpers/start-receiver';
import { startSeededServer } from '../../helpers/start-seeded-server';
import { temporaryFolder } from '../../helpers/temporary-folder';

/** Starts a server and a receiver. `listen` starts `webhooks listen` between them. */
async function startListenTest() {
  const seeded = await forTest(startSeededServer());
  const folder = await forTest(temporaryFolder());
  const receiver = await forTest(startHttpReceiver());

  const env = {
    ...seeded.createEnvironment(seeded.seller),
    TRADEPOST_STATE_DIR: join(folder.path, 'state'),
  };
  const argv = ['webhooks', 'listen', '--forward-to', receiver.url, '--output', 'ndjson'];
  const listen = (...options: string[]) => startCli([...argv, ...options], env);
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
  /** Returns the orders whose creation the receiver was notified of, in order. */
  const listReceived = () =>
    receiver.arrivals.flatMap(({ body }) => {
      const { event, data } = JSON.parse(String(body));
      return event === 'order.created' ? [data.orderId] : [];
    });
  return { seeded, env, argv, listen, place, listReceived, receiver };
}

it('webhooks listen forwards events in order, including those of the time when it did not run', async () => {
  const { listen, place, listReceived, receiver, argv, env } = await startListenTest();
  const first = listen();
  const [, secret = ''] = await first.writes(/(whsec_\S+)/, 'stderr');
  const early = await place(3);
  await receiver.until(() => listReceived().length === 3);

  const second = await runCli(argv, env);
  expect(second.code).toBe(1);
  expect(second.stderr).toContain('is in use by');

  const stopped = await first.stop('SIGINT');
  expect(stopped.code).toBe(130);
  expect(stopped.stderr).toContain('Run it again to continue.');
  const rows = stopped.stdout.trim().split('\n');
  expect(rows.map((row) => JSON.parse(row).id)).toEqual(
    receiver.arrivals.map(({ headers }) => headers['webhook-id']),
  );
  for (const { body: payload, headers } of receiver.arrivals) {
    const verified = verifyDelivery({ payload, headers, secret, requireTimestamp: true });
    await expect(verified).resolves.toBeTruthy();
    expect(headers.authorization).toBeUndefined();
  }

  const missed = await place(2);
  const next = listen();
  await receiver.until(() => listReceived().length === 5);
  // As in a power failure, nothing is cleaned up.
  await next.stop('SIGKILL');
  const late = await place(1);
  listen();
  await receiver.until(() => listReceived().includes(late[0] ?? ''));
  // An event that was acknowledged during the kill may arrive twice, but in order.
  expect([...new Set(listReceived())]).toEqual([...early, ...missed, ...late]);
});

it('webhooks listen exits with 9 when the service disappears, and can be resumed', async () => {
  const { seeded, listen, place, listReceived, receiver } = await startListenTest();
  const listener = listen('--reconnect-timeout', '0');
  await listener.writes(/whsec_/, 'stderr');
  await place(1);
  await receiver.until(() => listReceived().length === 1);
  await listener.writes(/order\.created/);
  await seeded.server.stop();
  const { code, stderr } = await listener.exit;
  expect(code).toBe(9);
  expect(stderr).toContain('Run it again to continue.');
});
