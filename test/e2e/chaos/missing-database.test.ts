import { existsSync, renameSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { startReceiver } from '../../helpers/start-receiver';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';
import { expectUnavailable } from './helpers/expect-unavailable';
import { sendRaw } from './helpers/raw-request';

async function start(): Promise<SeededServer> {
  return await forTest(startSeededServer());
}

function place({ server, buyer, seed }: SeededServer, key: string) {
  const body = { listingId: seed.listings[0]?.id ?? '', quantity: 1 };
  return sendRaw('POST', `${server.url}/v1/orders`, { apiKey: buyer.apiKey, key, body });
}

async function readReadiness({ server }: SeededServer): Promise<number> {
  return (await fetch(`${server.url}/readyz`)).status;
}

it('the server rejects changes with 503 once the database file is deleted, logs it, and creates no new file', async () => {
  const seeded = await start();
  const { database } = seeded.server;
  expect((await place(seeded, 'before')).status).toBe(201);
  expect(await readReadiness(seeded)).toBe(200);

  for (const suffix of ['', '-wal', '-shm']) rmSync(`${database}${suffix}`);
  for (const key of ['first', 'second', 'before']) expectUnavailable(await place(seeded, key));
  expect(await readReadiness(seeded)).toBe(503);
  await seeded.server.writes(/was deleted or replaced/, 'stderr');
  // The engine polls at least once a second.
  await seeded.server.writes(
    /could not look for due deliveries.*|was deleted or replaced/,
    'stderr',
  );
  expect(existsSync(database)).toBe(false);
  expect(await seeded.server.stop('SIGTERM')).toMatchObject({ code: 0 });
  expect(existsSync(database)).toBe(false);
}, 60_000);

it('the server continues once the file is restored: no rejected change was applied, no applied change is lost', async () => {
  const receiver = await forTest(startReceiver());
  const seeded = await start();
  const { server, buyer } = seeded;
  const subscription = { url: receiver.url, events: ['order.created'] };
  await sendRaw('POST', `${server.url}/v1/webhooks`, { apiKey: buyer.apiKey, body: subscription });
  const first = await place(seeded, 'first');

  renameSync(server.database, `${server.database}.away`);
  expectUnavailable(await place(seeded, 'rejected'));
  expect(await readReadiness(seeded)).toBe(503);
  renameSync(`${server.database}.away`, server.database);
  expect(await readReadiness(seeded)).toBe(200);
  const again = await place(seeded, 'rejected');
  expect(again.status).toBe(201);
  expect(again.headers.get('idempotent-replayed')).toBeNull();
  expect((await place(seeded, 'first')).body).toEqual(first.body);
  await receiver.until((arrivals) => {
    return new Set(arrivals.map(({ headers }) => headers['webhook-id'])).size === 2;
  });
}, 60_000);
