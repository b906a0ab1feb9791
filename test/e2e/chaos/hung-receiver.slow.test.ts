import { Tradepost } from '@tradepost/sdk';
import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { type Arrival, startPausedReceiver } from '../../helpers/start-receiver';
import { startSeededServer } from '../../helpers/start-seeded-server';
import { startServerProcess } from '../../helpers/start-server-process';
import { finishDeliveries } from './helpers/finish-deliveries';

/** A stop waits until deliveries in flight time out. In milliseconds. */
const stopTimeoutMs = 30_000;

/** Starts a server, and waits until its delivery is in flight to a receiver that does not respond. */
async function startDelivery() {
  const receiver = await forTest(startPausedReceiver());
  const { server, seller, seed } = await forTest(startSeededServer());
  const client = new Tradepost({ baseUrl: server.url, apiKey: seller.apiKey });
  await client.webhooks.create({ url: receiver.url, events: ['order.status_changed'] });
  await client.orders.update(seed.orders[0]?.id ?? '', { status: 'confirmed' });
  await receiver.until(({ length }) => length === 1);
  return { receiver, server };
}

it('the server stops in time even if a receiver hangs, and makes the delivery after the next start', async () => {
  const { receiver, server } = await startDelivery();

  const startedAt = performance.now();
  const { code, stderr } = await server.stop('SIGTERM');
  expect(code).toBe(0);
  expect(stderr).toMatch(/"error":"timeout".*"msg":"attempt"/);
  expect(performance.now() - startedAt).toBeLessThan(stopTimeoutMs);

  receiver.resume();
  const next = await forTest(startServerProcess(server.database));
  const [first, second] = (await receiver.until(({ length }) => length === 2)) as [
    Arrival,
    Arrival,
  ];
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(second.body.equals(first.body)).toBe(true);
  expect(await finishDeliveries(next, receiver)).toEqual([first.headers['webhook-id']]);
}, 90_000);

it('the server finishes a delivery in flight before it stops', async () => {
  const { receiver, server } = await startDelivery();
  const stopped = server.stop('SIGTERM');
  await server.writes(/the server is stopping/, 'stderr');
  receiver.resume();
  expect((await stopped).code).toBe(0);
  const next = await forTest(startServerProcess(server.database));
  expect(await finishDeliveries(next, receiver)).toHaveLength(1);
  expect(receiver.arrivals).toHaveLength(1);
});

it('a second signal ends the server at once', async () => {
  const { server } = await startDelivery();
  const stopped = server.stop('SIGTERM');
  await server.writes(/the server is stopping/, 'stderr');
  const { code, stderr } = await server.stop('SIGINT');
  expect(code).toBe(130);
  expect(stderr).toContain('second signal; exiting at once');
  expect(stderr).not.toContain('"msg":"attempt"');
  await stopped;
});
