import { randomUUID } from 'node:crypto';
import { Tradepost } from '@tradepost/sdk';
import type { SeedResult } from '@tradepost/server';
import { beforeAll, expect, it, vi } from 'vitest';
import {
  type PostgresPair,
  startPostgresPair,
} from '../../../packages/server/test/helpers/postgres-pair';
import { forTest } from '../../helpers/for-test';
import { runServerCommand } from '../../helpers/run-server-command';
import { startApi, startWorker } from '../../helpers/start-postgres';
import { startReceiver } from '../../helpers/start-receiver';

let pair: PostgresPair;

beforeAll(async () => {
  pair = await startPostgresPair();
  return pair.stop;
});

it('a failover to a synchronous standby loses no acknowledged change and needs no restart', async () => {
  const seed = await runServerCommand<SeedResult>(['seed'], pair.url);
  const [api] = await Promise.all([
    startApi(pair.url, ['--rate-limit', '1000000']),
    startWorker(pair.url),
  ]);
  const inbox = await forTest(startReceiver());
  const client = (account: number) =>
    new Tradepost({
      baseUrl: api.url,
      apiKey: seed.accounts[account]?.apiKey ?? '',
      maxRetries: 0,
    });
  const [buyer, seller] = [client(0), client(1)];
  await buyer.webhooks.create({ url: inbox.url, events: ['order.created'] });
  const listingId = seed.listings[0]?.id ?? '';
  await runServerCommand(['listings', 'update', listingId, '--add', '1000000'], pair.url);

  const acknowledged = new Map<string, string>();
  let isOver = false;
  let failed = 0;
  const clients = Array.from({ length: 6 }, async () => {
    while (!isOver) {
      const idempotencyKey = randomUUID();
      // As an integrator does: the same key until there is a response.
      for (let id: string | null = null; id === null && !isOver; ) {
        const result = await buyer.orders
          .create({ listingId, quantity: 1 }, { idempotencyKey })
          .safe();
        if (result.ok) id = result.data.id;
        else failed += 1;
        if (id !== null) acknowledged.set(idempotencyKey, id);
      }
    }
  });
  const progress = async () => {
    const { size } = acknowledged;
    await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(size + 50), 20_000);
  };

  await progress();
  await pair.killPrimary();
  await vi.waitFor(() => expect(failed).toBeGreaterThan(0), 10_000);
  await pair.promote();
  await progress();
  isOver = true;
  await Promise.all(clients);

  const ids = [...acknowledged.values()];
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(await seller.orders.get(id)).toMatchObject({ id });
  const wanted = new Set(ids);
  await inbox.until((arrivals) => {
    const arrived = arrivals.map(({ body }) => JSON.parse(String(body)).data.orderId as string);
    return new Set(arrived.filter((id) => wanted.has(id))).size === wanted.size;
  });
});
