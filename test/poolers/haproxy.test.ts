import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import type { SeedResult } from '@tradepost/server';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startPostgresPair } from '../../packages/server/test/helpers/postgres-pair';
import { readDeployFile } from '../docs/deploy-files';
import { findUnusedPort } from '../helpers/loopback';
import { runServerCommand } from '../helpers/run-server-command';
import { startApi } from '../helpers/start-postgres';
import { startProgram } from './start-program';

it('HAProxy in front of two PostgreSQL servers leads to the new primary after a failover', async () => {
  const pair = await startPostgresPair();
  onTestFinished(pair.stop);
  const [, start = '', hosts = '', end = ''] = /^(.*@)([^/]*)(.*)$/.exec(pair.url) ?? [];
  const port = await findUnusedPort();
  const servers = hosts
    .split(',')
    .map((host, index) => `  server pg${index + 1} ${host} check inter 200ms fall 1 rise 1`);
  // A standby accepts connections, too: the server closes them and connects again, to another one in turn.
  const settings = [
    'defaults',
    '  mode tcp',
    '  timeout connect 1s',
    '  timeout client 1m',
    '  timeout server 1m',
    'listen postgres',
    `  bind 127.0.0.1:${port}`,
    '  balance roundrobin',
    '  option redispatch 1',
    ...servers,
  ];
  await startProgram({
    path: '/usr/sbin/haproxy',
    variable: 'HAPROXY_PATH',
    files: () => ({ 'haproxy.cfg': `${settings.join('\n')}\n` }),
    args: (folder) => ['-db', '-f', join(folder, 'haproxy.cfg')],
    port,
  });
  const url = `${start}127.0.0.1:${port}${end}`;
  const seed = await runServerCommand<SeedResult>(['seed'], url);
  const api = await startApi(url);
  const buyer = new Tradepost({ baseUrl: api.url, apiKey: seed.accounts[0]?.apiKey ?? '' });
  const order = { listingId: seed.listings[0]?.id ?? '', quantity: 1 };
  const before = await buyer.orders.create(order);
  await pair.killPrimary();
  await pair.promote();
  const after = await vi.waitFor(() => buyer.orders.create(order), 20_000);
  expect(await buyer.orders.get(before.id)).toMatchObject({ id: before.id });
  expect(await buyer.orders.get(after.id)).toMatchObject({ id: after.id });
});

it('HAProxy, as compose.yaml configures it, responds with a problem while no process is ready', async () => {
  const port = await findUnusedPort();
  const config = readDeployFile('haproxy.cfg')
    .replace('bind :4010', `bind 127.0.0.1:${port}`)
    .replace(':8404', `:${await findUnusedPort()}`);
  await startProgram({
    path: '/usr/sbin/haproxy',
    variable: 'HAPROXY_PATH',
    files: () => ({ 'haproxy.cfg': config }),
    args: (folder) => ['-db', '-f', join(folder, 'haproxy.cfg')],
    port,
  });
  const response = await fetch(`http://127.0.0.1:${port}/v1/orders`);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/problem+json',
    'retry-after': '1',
  });
  expect(await response.json()).toEqual({
    type: 'about:blank',
    title: 'Service Unavailable',
    status: response.status,
    detail: 'No process of the API is ready.',
  });
  expect(response.status).toBe(503);
});
