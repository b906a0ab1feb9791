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
