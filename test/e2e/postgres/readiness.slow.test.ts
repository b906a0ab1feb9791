import { Tradepost } from '@tradepost/sdk';
import type { SeedResult } from '@tradepost/server';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  type PostgresServer,
  startPostgresServer,
} from '../../../packages/server/test/helpers/embedded-postgres';
import { forTest } from '../../helpers/for-test';
import { runServerCommand } from '../../helpers/run-server-command';
import { findOrderId } from '../../helpers/seed';
import { startApi, startWorker } from '../../helpers/start-postgres';
import { startReceiver } from '../../helpers/start-receiver';
import { startServerProcess } from '../../helpers/start-server-process';
import { temporaryFolder } from '../../helpers/temporary-folder';

/** Starts a PostgreSQL server of its own, with data. */
async function startSeeded(): Promise<{ postgres: PostgresServer; seed: SeedResult }> {
  const folder = await forTest(temporaryFolder());
  const postgres = await startPostgresServer({ folder: folder.path, isDurable: false });
  onTestFinished(() => postgres.stop());
  return { postgres, seed: await runServerCommand<SeedResult>(['seed'], postgres.url) };
}

interface Readiness {
  status: number;
  checks: Record<string, { status: string; detail?: string }>;
}

/** Waits until the process at a URL has a readiness. */
async function waitForReadiness(url: string, expected: object): Promise<void> {
  const read = async () => {
    const response = await fetch(new URL('/readyz', url));
    const { checks } = (await response.json()) as Readiness;
    return { status: response.status, checks };
  };
  await vi.waitFor(async () => expect(await read()).toMatchObject(expected), {
    timeout: 30_000,
    interval: 200,
  });
}

it('an API stays ready for 10 s without its database, and rejects requests itself', async () => {
  const { postgres, seed } = await startSeeded();
  const api = await startApi(postgres.url);
  const buyer = new Tradepost({
    baseUrl: api.url,
    apiKey: seed.accounts[0]?.apiKey ?? '',
    maxRetries: 0,
  });
  await waitForReadiness(api.url, { status: 200, checks: { store: { status: 'pass' } } });
  await postgres.stop('immediate');
  await waitForReadiness(api.url, { status: 200, checks: { store: { status: 'warn' } } });
  const order = { listingId: seed.listings[0]?.id ?? '', quantity: 1 };
  await expect(buyer.orders.create(order)).rejects.toMatchObject({
    status: 503,
    code: 'store_unavailable',
  });
  await waitForReadiness(api.url, { status: 503, checks: { store: { status: 'fail' } } });
  expect((await fetch(`${api.url}/livez`)).status).toBe(200);
  await postgres.start();
  await waitForReadiness(api.url, { status: 200, checks: { store: { status: 'pass' } } });
  expect(await buyer.orders.create(order)).toMatchObject({ quantity: 1 });
});

it.each(['worker', 'all'] as const)(
  'the role %s is not ready while results cannot be recorded, and then sends nothing again',
  async (role) => {
    const { postgres, seed } = await startSeeded();
    const args = ['--metrics-port', '0'];
    const running =
      role === 'worker'
        ? await startWorker(postgres.url, args)
        : await forTest(startServerProcess(postgres.url, args));
    const [, metricsUrl = ''] = await running.writes(/^metrics on (\S+)$/m);
    const api = await startApi(postgres.url);
    const seller = new Tradepost({ baseUrl: api.url, apiKey: seed.accounts[1]?.apiKey ?? '' });
    const inbox = await forTest(startReceiver());
    await seller.webhooks.create({ url: inbox.url, events: ['order.status_changed'] });

    // Like a full disk: rows can be locked and read, but not be added to this table.
    const other = new pg.Client({ connectionString: postgres.url });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE attempts IN EXCLUSIVE MODE');
    await seller.orders.update(findOrderId(seed, 'pending'), { status: 'confirmed' });
    await inbox.until(({ length }) => length === 1);
    const store = { status: 'pass' };
    await waitForReadiness(metricsUrl, {
      status: 200,
      checks: { store, engine: { status: 'warn' } },
    });
    await waitForReadiness(metricsUrl, {
      status: 503,
      checks: {
        store,
        engine: { status: 'fail', detail: expect.stringContaining('results cannot be recorded') },
      },
    });
    await other.query('COMMIT');
    await other.end();
    await waitForReadiness(metricsUrl, { status: 200, checks: { engine: { status: 'pass' } } });
    expect(inbox.arrivals).toHaveLength(1);
  },
);
