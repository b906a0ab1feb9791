import { randomUUID } from 'node:crypto';
import { Tradepost } from '@tradepost/sdk';
import type { SeedResult } from '@tradepost/server';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startPostgresServer } from '../../packages/server/test/helpers/embedded-postgres';
import { forTest } from '../helpers/for-test';
import { runServerCommand } from '../helpers/run-server-command';
import { startApi, startWorker, usePostgres } from '../helpers/start-postgres';
import { startReceiver } from '../helpers/start-receiver';
import { temporaryFolder } from '../helpers/temporary-folder';
import { startPgBouncer } from './start-pgbouncer';

const createDatabase = await usePostgres();

it('APIs and workers work behind PgBouncer in transaction mode', async () => {
  const { url: direct, seed } = await createDatabase();
  const url = await startPgBouncer(direct);
  const apis = await Promise.all([startApi(url), startApi(url)]);
  await Promise.all([startWorker(url), startWorker(url)]);
  const inbox = await forTest(startReceiver());
  const clients = apis.map((api, index) => {
    const apiKey = seed.accounts[index]?.apiKey ?? '';
    return new Tradepost({ baseUrl: api.url, apiKey });
  });
  const [buyer, seller] = clients;
  if (!(buyer && seller)) throw new Error('there are two');
  await seller.webhooks.create({
    url: inbox.url,
    events: ['order.created', 'order.status_changed'],
  });
  const listingId = seed.listings[0]?.id ?? '';
  const placed = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const idempotencyKey = randomUUID();
      const { id } = await buyer.orders.create({ listingId, quantity: 1 }, { idempotencyKey });
      await seller.orders.update(id, { status: 'confirmed' });
      return id;
    }),
  );
  await inbox.until(({ length }) => length >= 2 * placed.length);
  const ids = inbox.arrivals.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(2 * placed.length);
  const { data } = await seller.orders.list({ status: 'confirmed', limit: 100 });
  expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(placed));
});

it('a restart of PostgreSQL is an outage of a few seconds behind PgBouncer', async () => {
  const folder = await forTest(temporaryFolder());
  const postgres = await startPostgresServer({ folder: folder.path });
  onTestFinished(() => postgres.stop());
  const seed = await runServerCommand<SeedResult>(['seed'], postgres.url);
  const api = await startApi(await startPgBouncer(postgres.url));
  const apiKey = seed.accounts[0]?.apiKey ?? '';
  const buyer = new Tradepost({ baseUrl: api.url, apiKey, maxRetries: 0 });
  const place = () => buyer.orders.create({ listingId: seed.listings[0]?.id ?? '', quantity: 1 });
  await place();
  await postgres.stop();
  // PgBouncer tries to connect, and then waits.
  await expect(place()).rejects.toThrow();
  await postgres.start();
  // By default it would take 15 s.
  await vi.waitFor(place, 8_000);
});
