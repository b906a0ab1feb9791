import type { RequestListener } from 'node:http';
import { Tradepost } from '@tradepost/sdk';
import { webhookReceiver } from '@tradepost/sdk/webhooks';
import { expect, it, onTestFinished } from 'vitest';
import { Counter } from '../../helpers/counter';
import { forTest } from '../../helpers/for-test';
import { startHttpServer } from '../../helpers/loopback';
import { startSeededServer } from '../../helpers/start-seeded-server';

/** How many orders are changed. Each is changed twice. */
const orderCount = 12;

it('a receiver that compares versions is right although every first change arrives after the second one', async () => {
  const { server, buyer, seller, seed } = await forTest(startSeededServer());
  const connect = ({ apiKey }: { apiKey: string }) =>
    new Tradepost({ baseUrl: server.url, apiKey });
  const [buying, selling] = [connect(buyer), connect(seller)];

  const byArrival = new Map<string, string>();
  const byVersion = new Map<string, { status: string; version: number }>();
  const positions = new Map<string, number>();
  const seconds = new Map<string, { handled: Promise<void>; markHandled: () => void }>();
  const handled = new Counter();
  let receive: RequestListener = (_, response) => response.writeHead(503).end();
  const { port, close: stop } = await startHttpServer((request, response) =>
    receive(request, response),
  );
  onTestFinished(stop);
  const url = `http://127.0.0.1:${port}/deliveries`;
  const { id, secret } = await selling.webhooks.create({ url, events: ['order.status_changed'] });
  const receiver = webhookReceiver({
    secret,
    requireTimestamp: true,
    on: {
      async 'order.status_changed'({ data: { orderId, status } }, delivery) {
        const second = seconds.get(orderId);
        // The first change waits until the second one is handled.
        if (status === 'confirmed') await second?.handled;
        byArrival.set(orderId, status);
        const version = delivery.orderVersion ?? 0;
        if (version > (byVersion.get(orderId)?.version ?? 0))
          byVersion.set(orderId, { status, version });
        positions.set(String(delivery.id), Number(delivery.sequence));
        if (status === 'fulfilling') second?.markHandled();
        handled.increment();
      },
    },
  });
  receive = receiver.node;

  const listingId = seed.listings[0]?.id ?? '';
  const expected = new Map<string, { status: string; version: number }>();
  for (let count = 0; count < orderCount; count += 1) {
    const order = await buying.orders.create({ listingId, quantity: 1 });
    let markHandled = () => {};
    const second = new Promise<void>((resolve) => {
      markHandled = resolve;
    });
    seconds.set(order.id, { handled: second, markHandled });
    const bothHandled = handled.waitForMore(2);
    await selling.orders.update(order.id, { status: 'confirmed' });
    await selling.orders.update(order.id, { status: 'fulfilling' });
    await bothHandled;
    expected.set(order.id, { status: 'fulfilling', version: 3 });
    expect((await selling.orders.get(order.id)).status).toBe('fulfilling');
  }
  expect(byVersion).toEqual(expected);
  // What the fault was: the last to arrive is not the newest.
  expect([...byArrival.values()]).toEqual(Array.from({ length: orderCount }, () => 'confirmed'));

  const log: string[] = [];
  for await (const event of selling.events.list()) log.push(String(event.id));
  const inOrder = [...positions].sort(([, one], [, other]) => one - other).map(([event]) => event);
  expect(inOrder).toEqual(log.filter((event) => positions.has(event)));
  expect(inOrder).toHaveLength(2 * orderCount);

  const before = handled.count;
  const test = await selling.webhooks.test(id ?? '', { event: 'order.status_changed' });
  await expect
    .poll(() => selling.deliveries.get(test.id ?? ''))
    .toMatchObject({ state: 'delivered', lastStatus: 200 });
  const { attempts } = await selling.deliveries.get(test.id ?? '');
  expect(attempts?.[0]?.responseSnippet).toMatch(/^TEST: this receiver verified the test event/);
  expect(handled.count).toBe(before);
}, 60_000);
