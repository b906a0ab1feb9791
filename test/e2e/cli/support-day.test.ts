import type { Notification, Order } from '@tradepost/sdk';
import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { runCli } from '../../helpers/run-cli';
import { startSeededServer } from '../../helpers/start-seeded-server';

function ndjson<Item>(stdout: string): Item[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

it('a seller confirms every pending order, and the buyer gets the notifications', async () => {
  const seeded = await forTest(startSeededServer());
  const seller = seeded.createEnvironment(seeded.seller);
  const list = ['orders', 'list', '--status', 'pending', '--output', 'ndjson'];

  const pending = ndjson<Order>((await runCli(list, seller)).stdout);
  expect(pending.length).toBeGreaterThan(1);
  for (const { id } of pending) {
    const moved = await runCli(['orders', 'set-status', id, 'confirmed'], seller);
    expect(moved).toEqual({
      code: 0,
      signal: null,
      stdout: `${id} pending → confirmed\n`,
      stderr: '',
    });
  }
  expect(await runCli(list, seller)).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });

  const buyer = seeded.createEnvironment(seeded.buyer);
  const unread = ['notifications', 'list', '--unread', '--all', '--output', 'ndjson'];
  const notifications = ndjson<Notification>((await runCli(unread, buyer)).stdout);
  const confirmed = notifications.filter(({ message }) => message.includes('is now confirmed'));
  const orderIds = confirmed.map(({ orderId }) => orderId);
  expect(orderIds).toEqual(expect.arrayContaining(pending.map(({ id }) => id)));

  const ids = notifications.map(({ id }) => id);
  const read = await runCli(['notifications', 'read', ...ids, '--output', 'ndjson'], buyer);
  expect(read).toMatchObject({
    code: 0,
    stderr: `Marked ${ids.length} notifications as read.\n`,
  });
  expect(ndjson<Notification>(read.stdout)).toEqual(
    notifications.map((notification) => ({ ...notification, read: true })),
  );
  expect((await runCli(unread, buyer)).stdout).toBe('');
});

it('every format contains the same orders', async () => {
  const seeded = await forTest(startSeededServer());
  const buyer = seeded.createEnvironment(seeded.buyer);
  const list = async (output: string) => {
    const finished = await runCli(['orders', 'list', '--output', output], buyer);
    expect(finished).toMatchObject({ code: 0, stderr: '' });
    return finished.stdout;
  };
  const orders: Order[] = JSON.parse(await list('json'));
  expect(new Set(orders.map(({ id }) => id))).toEqual(
    new Set(seeded.seed.orders.map(({ id }) => id)),
  );
  expect(ndjson(await list('ndjson'))).toEqual(orders);
  const cells = (text: string, separator: RegExp) =>
    text
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(separator).slice(0, 2));
  const expected = orders.map(({ id, status }) => [id, status]);
  expect(cells(await list('csv'), /,/)).toEqual(expected);
  expect(cells(await list('table'), / {2,}/)).toEqual(expected);
});

it('registering a webhook prints its secret once', async () => {
  const seeded = await forTest(startSeededServer());
  const url = 'https://receiver.example/tradepost';
  const events = 'order.created,order.status_changed';
  const { code, stdout, stderr } = await runCli(
    ['webhooks', 'register', '--url', url, '--events', events, '--output', 'json'],
    seeded.createEnvironment(seeded.seller),
  );
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    url,
    events: events.split(','),
    status: 'active',
    secret: expect.stringMatching(/^whsec_/),
  });
  expect(stderr).toBe('The secret is not shown again. Save it where your receiver reads it.\n');
});
