import { Tradepost } from '@tradepost/sdk';
import { expect, it, onTestFinished } from 'vitest';
import { type Arrival, startPausedReceiver } from '../../helpers/start-receiver';
import { startSeededServer } from '../../helpers/start-seeded-server';
import { startServerProcess } from '../../helpers/start-server-process';
import { finishDeliveries } from './helpers/finish-deliveries';

/** A stop waits five seconds for deliveries in flight. In milliseconds, with time for a slow machine. */
const stopTimeoutMs = 10_000;

it('the server stops in time even if a receiver hangs, and makes the delivery after the next start', async () => {
  const receiver = await startPausedReceiver();
  onTestFinished(receiver.close);
  const { server, seller, seed, close } = await startSeededServer();
  onTestFinished(close);
  const client = new Tradepost({ baseUrl: server.url, apiKey: seller.apiKey });
  await client.webhooks.create({ url: receiver.url, events: ['order.status_changed'] });
  await client.orders.update(seed.orders[0]?.id ?? '', { status: 'confirmed' });
  await receiver.until(({ length }) => length === 1);

  const startedAt = performance.now();
  const { code } = await server.stop('SIGTERM');
  expect(code).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(stopTimeoutMs);

  receiver.resume();
  const next = await startServerProcess(server.database);
  onTestFinished(async () => {
    await next.stop();
  });
  const [first, second] = (await receiver.until(({ length }) => length === 2)) as [
    Arrival,
    Arrival,
  ];
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(second.body.equals(first.body)).toBe(true);
  expect(await finishDeliveries(next, receiver)).toEqual([first.headers['webhook-id']]);
}, 60_000);
