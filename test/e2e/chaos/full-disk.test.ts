import { join } from 'node:path';
import type { SeedResult } from '@tradepost/server';
import Database from 'better-sqlite3';
import { beforeEach, expect, it } from 'vitest';
import { runServerCommand } from '../../helpers/run-server-command';
import { seedDatabase } from '../../helpers/seed';
import { type PausedReceiver, startPausedReceiver } from '../../helpers/start-receiver';
import { type ServerProcess, startServerProcess } from '../../helpers/start-server-process';
import { temporaryFolder } from '../../helpers/temporary-folder';
import { expectUnavailable } from './helpers/expect-unavailable';
import { finishDeliveries } from './helpers/finish-deliveries';
import { type RawResponse, sendRaw } from './helpers/raw-request';

const initialQuantity = 100_000;
const concurrency = 8;

let database: string;
let server: ServerProcess;
let receiver: PausedReceiver;
let seed: SeedResult;
let listingId: string;

beforeEach(async () => {
  const folder = await temporaryFolder();
  database = join(folder.path, 'tradepost.db');
  seed = await seedDatabase(database);
  const [, seller, agent] = seed.accounts;
  const parties = ['--seller', seller?.id ?? '', '--agent', agent?.id ?? ''];
  const create = ['listings', 'create', ...parties, '--quantity', String(initialQuantity)];
  ({ id: listingId } = await runServerCommand<{ id: string }>(create, database));
  server = await startServerProcess(database, ['--max-database-mb', '1']);
  receiver = await startPausedReceiver();
  return async () => {
    await server.stop();
    await receiver.close();
    await folder.remove();
  };
});

const getKey = (index: number) => seed.accounts[index]?.apiKey ?? '';

const send = (method: string, path: string, request: Parameters<typeof sendRaw>[2]) =>
  sendRaw(method, `${server.url}${path}`, request);

function place(key: string): Promise<RawResponse> {
  return send('POST', '/v1/orders', { apiKey: getKey(0), key, body: { listingId, quantity: 1 } });
}

/** Creates orders, several at once, until none fits any more. Expects each rejection to be a 503. */
async function fill(): Promise<{ placed: string[]; rejectedKeys: string[] }> {
  const placed: string[] = [];
  const rejectedKeys: string[] = [];
  for (let round = 0; ; round += 1) {
    const keys = Array.from({ length: concurrency }, (_, number) => `fill-${round}-${number}`);
    const responses = await Promise.all(keys.map(place));
    const rejected = responses.filter(({ status }) => status !== 201);
    for (const response of rejected) expectUnavailable(response);
    placed.push(...responses.flatMap(({ body }) => (body.data ? [body.data.id] : [])));
    rejectedKeys.push(...keys.filter((_, number) => responses[number]?.status !== 201));
    if (rejected.length === concurrency) return { placed, rejectedKeys };
  }
}

/** Reads what the database has about the orders of the listing. */
function readState() {
  const connection = new Database(database, { readonly: true });
  try {
    const list = (sql: string) => connection.prepare<[string]>(sql).pluck().all(listingId).sort();
    const events = `SELECT order_id FROM events JOIN orders ON orders.id = order_id
      WHERE listing_id = ? AND event_type =`;
    return {
      orders: list('SELECT id FROM orders WHERE listing_id = ?'),
      created: list(`${events} 'order.created'`),
      requested: list(`${events} 'task.approval_requested'`),
      available: list('SELECT available_quantity FROM listings WHERE id = ?'),
      integrity: connection.pragma('integrity_check', { simple: true }),
      brokenReferences: connection.pragma('foreign_key_check'),
    };
  } finally {
    connection.close();
  }
}

/** Returns the state to expect if exactly these orders were created. */
function expectedState(placed: string[]): ReturnType<typeof readState> {
  const orders = [...placed].sort();
  return {
    ...{ orders, created: orders, requested: orders },
    available: [initialQuantity - placed.length],
    ...{ integrity: 'ok', brokenReferences: [] },
  };
}

/** Frees space from another connection, by deleting the notifications. */
function freeSpace(): void {
  const connection = new Database(database);
  connection.exec('DELETE FROM notifications');
  connection.close();
}

it('the server rejects changes completely while the database is full, still reads, and accepts changes once there is space', async () => {
  const subscription = { url: receiver.url, events: ['order.created'] };
  await send('POST', '/v1/webhooks', { apiKey: getKey(0), body: subscription });

  const { placed, rejectedKeys } = await fill();
  expect(placed.length).toBeGreaterThan(0);
  expect(readState()).toEqual(expectedState(placed));
  // The receiver responds now, and there is no space to record the results.
  receiver.resume();
  for (const key of rejectedKeys.slice(-3)) expectUnavailable(await place(key));
  for (const path of ['/v1/orders', `/v1/orders/${placed[0]}`, '/v1/notifications']) {
    expect(await send('GET', path, { apiKey: getKey(0) }), path).toMatchObject({ status: 200 });
  }
  expect(readState()).toEqual(expectedState(placed));

  freeSpace();
  const again = await Promise.all(rejectedKeys.map(place));
  expect(new Set(again.map(({ status }) => status))).toEqual(new Set([201]));
  for (const { headers } of again) expect(headers.get('idempotent-replayed')).toBeNull();
  const all = [...placed, ...again.flatMap(({ body }) => (body.data ? [body.data.id] : []))];
  expect(readState()).toEqual(expectedState(all));

  // The same process continues to deliver.
  await receiver.until((arrivals) => {
    return new Set(arrivals.map(({ headers }) => headers['webhook-id'])).size === all.length;
  });
  const delivered = await finishDeliveries(server, receiver);
  expect(delivered).toHaveLength(all.length);
}, 120_000);
