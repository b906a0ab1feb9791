import Database from 'better-sqlite3';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { type PausedReceiver, startPausedReceiver } from '../../helpers/start-receiver';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';
import { expectUnavailable } from './helpers/expect-unavailable';
import { finishDeliveries } from './helpers/finish-deliveries';
import { type RawResponse, sendRaw } from './helpers/raw-request';

/** A change waits two seconds for a lock, or twice that behind another change. In milliseconds. */
const lockTimeoutMs = { min: 1_500, max: 10_000 };

let service: SeededServer;
let receiver: PausedReceiver;

beforeEach(async () => {
  service = await startSeededServer();
  receiver = await startPausedReceiver();
  return async () => {
    await service.close();
    await receiver.close();
  };
});

/** Takes the write lock of the database in this process, which is not the server's. */
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

it('the server rejects changes while another process has the write lock, still reads, and accepts changes once it is released', async () => {
  const { buyer, seller, seed } = service;
  const [order, other] = seed.orders;
  const subscription = { url: receiver.url, events: ['order.created', 'order.status_changed'] };
  await send('POST', '/v1/webhooks', { apiKey: seller.apiKey, body: subscription });
  const list = await send('GET', '/v1/notifications?limit=1', { apiKey: buyer.apiKey });
  const [notification] = (list.body.data ?? []) as unknown as { id: string }[];

  const update = { apiKey: seller.apiKey, body: { status: 'confirmed' } };
  expect(await send('PATCH', `/v1/orders/${order?.id}`, update)).toMatchObject({ status: 200 });
  await receiver.until(({ length }) => length === 1);

  const locked = lock();
  const before = contents(locked);
  // The receiver responds now, and the result of the delivery cannot be recorded.
  receiver.resume();
  const orderRequest = {
    apiKey: buyer.apiKey,
    key: 'created-while-locked',
    body: { listingId: seed.listings[0]?.id, quantity: 1 },
  };
  const changes = {
    create: () => send('POST', '/v1/orders', orderRequest),
    update: () => send('PATCH', `/v1/orders/${other?.id}`, update),
    mark: () => {
      const path = `/v1/notifications/${notification?.id}`;
      return send('PATCH', path, { apiKey: buyer.apiKey, body: { read: true } });
    },
    register: () => send('POST', '/v1/webhooks', { apiKey: buyer.apiKey, body: subscription }),
  };
  const attempts = Promise.all(Object.values(changes).map((change) => change()));

  const reads: RawResponse[] = [];
  let isDone = false;
  const reading = async () => {
    while (!isDone) reads.push(await send('GET', '/v1/orders', { apiKey: seller.apiKey }));
  };
  const readers = Promise.all([reading(), reading()]);
  const rejections = await attempts;
  isDone = true;
  await readers;

  for (const rejection of rejections) {
    expectUnavailable(rejection);
    expect(rejection.durationMs).toBeGreaterThan(lockTimeoutMs.min);
    expect(rejection.durationMs).toBeLessThan(lockTimeoutMs.max);
  }
  expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
  expect(reads.length).toBeGreaterThan(20);
  expect(Math.max(...reads.map(({ durationMs }) => durationMs))).toBeLessThan(lockTimeoutMs.min);
  expect(contents(locked)).toEqual(before);

  locked.exec('ROLLBACK');
  const [created, updated, marked, registered] = await Promise.all([
    changes.create(),
    changes.update(),
    changes.mark(),
    changes.register(),
  ]);
  expect([created.status, updated.status, marked.status, registered.status]).toEqual([
    201, 200, 200, 201,
  ]);
  // The rejected request left nothing: its idempotency key works for the first time, then for a repetition.
  expect(created.headers.get('idempotent-replayed')).toBeNull();
  expect((await changes.create()).body).toEqual(created.body);

  // The same process delivers what happened since, besides what was in flight when the lock was taken.
  const arrivals = await receiver.until((all) => {
    return new Set(all.map(({ headers }) => headers['webhook-id'])).size >= 3;
  });
  const first = arrivals[0]?.headers['webhook-id'];
  const repeated = arrivals.filter(({ headers }) => headers['webhook-id'] === first);
  expect(new Set(repeated.map(({ body }) => String(body))).size).toBe(1);
  const delivered = await finishDeliveries(service.server, receiver);
  expect(new Set(delivered)).toEqual(new Set(arrivals.map(({ headers }) => headers['webhook-id'])));
}, 90_000);
