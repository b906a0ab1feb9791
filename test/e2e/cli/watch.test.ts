import { Tradepost } from '@tradepost/sdk';
import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { placeOrders } from '../../helpers/place-orders';
import { tradepostBin } from '../../helpers/programs';
import { runCli, startCli } from '../../helpers/run-cli';
import { startProcess } from '../../helpers/start-process';
import { startSeededServer } from '../../helpers/start-seeded-server';

interface Change {
  createdAt: string;
  event: string;
  orderId: string;
  from: string | null;
  to: string;
}

function parseLines(stdout: string): Change[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

it('orders watch prints changes of orders as they happen, and Ctrl-C ends it', async () => {
  const seeded = await forTest(startSeededServer());
  const env = seeded.createEnvironment(seeded.seller);
  const watcher = startCli(['orders', 'watch', '--since', '1h', '--output', 'ndjson'], env);
  // Earlier changes are printed first. After them it certainly polls.
  await watcher.writes(/"to":"cancelled"/);
  const [id = ''] = await placeOrders(seeded, 1);
  await watcher.writes(new RegExp(`"orderId":"${id}","from":null,"to":"pending"`));
  await runCli(['orders', 'set-status', id, 'fulfilling'], env);
  await watcher.writes(new RegExp(`"orderId":"${id}","from":"pending","to":"fulfilling"`));
  const { code, stdout, stderr } = await watcher.stop('SIGINT');
  expect({ code, stderr }).toEqual({
    code: 130,
    stderr:
      '{"error":{"code":"interrupted","message":"Interrupted","status":null,"requestId":null,"hint":null,"errors":[]}}\n',
  });
  expect(parseLines(stdout).filter(({ orderId }) => orderId === id)).toEqual([
    {
      createdAt: expect.any(String),
      event: 'order.created',
      orderId: id,
      from: null,
      to: 'pending',
      reason: null,
    },
    {
      createdAt: expect.any(String),
      event: 'order.status_changed',
      orderId: id,
      from: 'pending',
      to: 'fulfilling',
      reason: null,
    },
  ]);
});

it('orders watch prints only the requested orders and statuses', async () => {
  const seeded = await forTest(startSeededServer());
  const env = seeded.createEnvironment(seeded.seller);
  const [watched = '', other = ''] = await placeOrders(seeded, 2);
  const { orders } = new Tradepost({ baseUrl: seeded.server.url, apiKey: seeded.seller.apiKey });
  for (const id of [other, watched]) await orders.update(id, { status: 'confirmed' });
  const watcher = startCli(
    ['orders', 'watch', watched, '--status', 'confirmed,completed', '--since', '1h'],
    env,
  );
  await watcher.writes(/confirmed/);
  const { stdout } = await watcher.stop('SIGINT');
  expect(stdout.split('\n').slice(1)).toEqual([
    expect.stringMatching(
      new RegExp(`^\\S+  ${watched}  pending     confirmed   order\\.status_changed$`),
    ),
    '',
  ]);
});

it('orders watch exits with 9 when the service disappears', async () => {
  const seeded = await forTest(startSeededServer());
  const watcher = startCli(
    ['orders', 'watch', '--since', '1h', '--reconnect-timeout', '0'],
    seeded.createEnvironment(seeded.seller),
  );
  await watcher.writes(/cancelled/);
  await seeded.server.stop('SIGKILL');
  const { code, stderr } = await watcher.exit;
  expect(code).toBe(9);
  expect(stderr).toMatch(/^error: .*\nhint: /s);
});

it('orders watch exits at the next line after its reader has closed the pipe', async () => {
  const seeded = await forTest(startSeededServer());
  const watch = '"$NODE" "$TRADEPOST" orders watch --since 1h --output ndjson';
  const piped = startProcess('sh', ['-c', `{ ${watch}; echo "code $?" >&2; } | head -n 1`], {
    env: {
      ...seeded.createEnvironment(seeded.seller),
      NODE: process.execPath,
      TRADEPOST: tradepostBin,
    },
  });
  let hasExited = false;
  const exit = piped.exit.finally(() => {
    hasExited = true;
  });
  await piped.writes(/\n/);
  // Only writing another line reveals that the reader is gone.
  while (!hasExited) await placeOrders(seeded, 1);
  expect((await exit).stderr).toBe('code 0\n');
});
