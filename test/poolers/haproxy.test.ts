import { Tradepost } from '@tradepost/sdk';
import type { SeedResult } from '@tradepost/server';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  type PostgresPair,
  startPostgresPair,
} from '../../packages/server/test/helpers/postgres-pair';
import { readDeployFile } from '../docs/deploy-files';
import { findUnusedPort } from '../helpers/loopback';
import { runServerCommand } from '../helpers/run-server-command';
import { startApi } from '../helpers/start-postgres';
import { runHaProxy, startHaProxy } from './start-haproxy';
import { startPgBouncer } from './start-pgbouncer';

async function startPair(): Promise<PostgresPair> {
  const pair = await startPostgresPair();
  onTestFinished(pair.stop);
  return pair;
}

/** Starts an API. Returns a function that creates an order. */
async function startOrdering(url: string) {
  const seed = await runServerCommand<SeedResult>(['seed'], url);
  const api = await startApi(url);
  const apiKey = seed.accounts[0]?.apiKey ?? '';
  const buyer = new Tradepost({ baseUrl: api.url, apiKey, maxRetries: 0 });
  const order = { listingId: seed.listings[0]?.id ?? '', quantity: 1 };
  return { api, buyer, place: () => buyer.orders.create(order) };
}

it('HAProxy in front of two PostgreSQL servers leads to the new primary after a failover', async () => {
  const pair = await startPair();
  // A standby accepts connections, too: the server closes them and connects again, to another one in turn.
  const { buyer, place } = await startOrdering(await startHaProxy(pair.url, 'roundrobin'));
  const before = await place();
  await pair.killPrimary();
  await pair.promote();
  const after = await vi.waitFor(place, 20_000);
  expect(await buyer.orders.get(before.id)).toMatchObject({ id: before.id });
  expect(await buyer.orders.get(after.id)).toMatchObject({ id: after.id });
});

it('HAProxy, as compose.yaml configures it, responds with a problem while no process is ready', async () => {
  const port = await findUnusedPort();
  const config = readDeployFile('haproxy.cfg')
    .replace('bind :4010', `bind 127.0.0.1:${port}`)
    .replace(':8404', `:${await findUnusedPort()}`);
  await runHaProxy(config, port);
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

it.each([
  ['HAProxy', async (url: string) => url],
  ['PgBouncer and HAProxy', startPgBouncer],
])(
  'behind %s, no change is made on an old primary server that comes back',
  async (_, startPooler) => {
    const pair = await startPair();
    const url = await startPooler(await startHaProxy(pair.url, 'first'));
    const { api, buyer, place } = await startOrdering(url);
    await place();
    await pair.killPrimary();
    await pair.promote();
    await vi.waitFor(place, 20_000);
    await pair.killPromoted();
    await pair.returnPrimary();
    await expect(place()).rejects.toThrow('store_unavailable');
    await api.writes(/an old primary server of PostgreSQL accepts changes/, 'stderr');
    await expect(place()).rejects.toThrow('store_unavailable');
    await pair.killPrimary();
    await pair.returnPromoted();
    const after = await vi.waitFor(place, 20_000);
    expect(await buyer.orders.get(after.id)).toMatchObject({ id: after.id });
  },
);
