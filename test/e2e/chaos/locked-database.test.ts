import Database from 'better-sqlite3';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { type HoldingReceiver, startHoldingReceiver } from '../../helpers/start-holding-receiver';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';
import { expectUnavailable } from './expect-unavailable';
import { finishDeliveries } from './finish-deliveries';
import { type RawAnswer, sendRaw } from './raw-request';

/** Milliseconds. A change waits two seconds for a lock, or twice that behind another one. */
const patience = { least: 1_500, most: 10_000 };

let service: SeededServer;
let receiver: HoldingReceiver;

beforeEach(async () => {
  service = await startSeededServer();
  receiver = await startHoldingReceiver();
  return async () => {
    await service.close();
    await receiver.close();
  };
});

/** Takes the write lock of the server's database, as this process, which is another one. */
function lock(): Database.Database {
  const connection = new Database(service.server.database);
  connection.exec('BEGIN IMMEDIATE');
  onTestFinished(() => {
    connection.close();
  });
  return connection;
}

function contents(connection: Database.Database): unknown {
  const tables = connection
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all();
  return tables.map((table) => [table, connection.prepare(`SELECT * FROM ${table}`).all()]);
}

const send = (method: string, path: string, request: Parameters<typeof sendRaw>[2]) =>
  sendRaw(method, `${service.server.url}${path}`, request);

it('refuses changes while another process holds the write lock, reads on, and goes on once it is let go', async () => {
  const { buyer, seller, world } = service;
  const [order, other] = world.orders;
  const subscription = { url: receiver.url, events: ['order.created', 'order.status_changed'] };
  await send('POST', '/v1/webhooks', { apiKey: seller.apiKey, body: subscription });
  const noted = await send('GET', '/v1/notifications?limit=1', { apiKey: buyer.apiKey });
  const [notification] = (noted.body.data ?? []) as unknown as { id: string }[];

  const move = { apiKey: seller.apiKey, body: { status: 'confirmed' } };
  expect(await send('PATCH', `/v1/orders/${order?.id}`, move)).toMatchObject({ status: 200 });
  await receiver.until(({ length }) => length === 1);

  const locked = lock();
  const before = contents(locked);
  // The receiver answers now, and what came of the delivery cannot be recorded.
  receiver.release();
  const placing = {
    apiKey: buyer.apiKey,
    key: 'placed-while-locked',
    body: { listingId: world.listings[0]?.id, quantity: 1 },
  };
  const changes = {
    place: () => send('POST', '/v1/orders', placing),
    move: () => send('PATCH', `/v1/orders/${other?.id}`, move),
    mark: () => {
      const path = `/v1/notifications/${notification?.id}`;
      return send('PATCH', path, { apiKey: buyer.apiKey, body: { read: true } });
    },
    register: () => send('POST', '/v1/webhooks', { apiKey: buyer.apiKey, body: subscription }),
  };
  const tried = Promise.all(Object.values(changes).map((change) => change()));

  const reads: RawAnswer[] = [];
  let answered = false;
  const reading = async () => {
    while (!answered) reads.push(await send('GET', '/v1/orders', { apiKey: seller.apiKey }));
  };
  const readers = Promise.all([reading(), reading()]);
  const refusals = await tried;
  answered = true;
  await readers;

  for (const refusal of refusals) {
    expectUnavailable(refusal);
    expect(refusal.took).toBeGreaterThan(patience.least);
    expect(refusal.took).toBeLessThan(patience.most);
  }
  expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
  expect(reads.length).toBeGreaterThan(20);
  expect(Math.max(...reads.map(({ took }) => took))).toBeLessThan(patience.least);
  expect(contents(locked)).toEqual(before);

  locked.exec('ROLLBACK');
  const [placed, moved, marked, registered] = await Promise.all([
    changes.place(),
    changes.move(),
    changes.mark(),
    changes.register(),
  ]);
  expect([placed.status, moved.status, marked.status, registered.status]).toEqual([
    201, 200, 200, 201,
  ]);
  // What was refused left nothing: its idempotency key is good for the first time, and then again.
  expect(placed.headers.get('idempotent-replayed')).toBeNull();
  expect((await changes.place()).body).toEqual(placed.body);

  // The same process delivers what happened since, besides what was on its way when the lock came.
  const arrivals = await receiver.until((all) => {
    return new Set(all.map(({ headers }) => headers['webhook-id'])).size >= 3;
  });
  const first = arrivals[0]?.headers['webhook-id'];
  const repeated = arrivals.filter(({ headers }) => headers['webhook-id'] === first);
  expect(new Set(repeated.map(({ body }) => String(body))).size).toBe(1);
  const delivered = await finishDeliveries(service.server, receiver);
  expect(new Set(delivered)).toEqual(new Set(arrivals.map(({ headers }) => headers['webhook-id'])));
}, 90_000);
