import { Tradepost } from '@tradepost/sdk';
import { expect, it, onTestFinished } from 'vitest';
import { startHoldingReceiver } from '../../helpers/start-holding-receiver';
import type { Arrival } from '../../helpers/start-receiver';
import { startSeededServer } from '../../helpers/start-seeded-server';
import { startServerProcess } from '../../helpers/start-server-process';
import { finishDeliveries } from './finish-deliveries';

/** Milliseconds. A stop waits five seconds for what is under way; the rest is for a slow machine. */
const stopAtMost = 10_000;

it('stops in time though a receiver hangs, and makes the delivery after the next start', async () => {
  const receiver = await startHoldingReceiver();
  onTestFinished(receiver.close);
  const { server, seller, world, close } = await startSeededServer();
  onTestFinished(close);
  const client = new Tradepost({ baseUrl: server.url, apiKey: seller.apiKey });
  await client.webhooks.create({ url: receiver.url, events: ['order.status_changed'] });
  await client.orders.update(world.orders[0]?.id ?? '', { status: 'confirmed' });
  await receiver.until(({ length }) => length === 1);

  const began = performance.now();
  const { code } = await server.stop('SIGTERM');
  expect(code).toBe(0);
  expect(performance.now() - began).toBeLessThan(stopAtMost);

  receiver.release();
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
