import { join } from 'node:path';
import type { SeedResult } from '@tradepost/server';
import Database from 'better-sqlite3';
import { beforeEach, expect, it } from 'vitest';
import { runServerCommand } from '../../helpers/run-server-command';
import { seedDatabase } from '../../helpers/seed';
import { type HoldingReceiver, startHoldingReceiver } from '../../helpers/start-holding-receiver';
import { type ServerProcess, startServerProcess } from '../../helpers/start-server-process';
import { temporaryFolder } from '../../helpers/temporary-folder';
import { expectUnavailable } from './expect-unavailable';
import { finishDeliveries } from './finish-deliveries';
import { type RawAnswer, sendRaw } from './raw-request';

const plenty = 100_000;
const atOnce = 8;

let database: string;
let server: ServerProcess;
let receiver: HoldingReceiver;
let world: SeedResult;
let listingId: string;

beforeEach(async () => {
  const folder = await temporaryFolder();
  database = join(folder.path, 'tradepost.db');
  world = await seedDatabase(database);
  const [, seller, agent] = world.accounts;
  const parties = ['--seller', seller?.id ?? '', '--agent', agent?.id ?? ''];
  const create = ['listings', 'create', ...parties, '--quantity', String(plenty)];
  ({ id: listingId } = await runServerCommand<{ id: string }>(create, database));
  server = await startServerProcess(database, ['--max-database-mb', '1']);
  receiver = await startHoldingReceiver();
  return async () => {
    await server.stop();
    await receiver.close();
    await folder.remove();
  };
});

const keyOf = (place: number) => world.accounts[place]?.apiKey ?? '';

const send = (method: string, path: string, request: Parameters<typeof sendRaw>[2]) =>
  sendRaw(method, `${server.url}${path}`, request);

function place(key: string): Promise<RawAnswer> {
  return send('POST', '/v1/orders', { apiKey: keyOf(0), key, body: { listingId, quantity: 1 } });
}

/** Places orders, several at once, until none of them fits any more. Each refusal is what it has to be. */
async function fill(): Promise<{ placed: string[]; refusedKeys: string[] }> {
  const placed: string[] = [];
  const refusedKeys: string[] = [];
  for (let round = 0; ; round += 1) {
    const keys = Array.from({ length: atOnce }, (_, number) => `fill-${round}-${number}`);
    const answers = await Promise.all(keys.map(place));
    const refused = answers.filter(({ status }) => status !== 201);
    for (const answer of refused) expectUnavailable(answer);
    placed.push(...answers.flatMap(({ body }) => (body.data ? [body.data.id] : [])));
    refusedKeys.push(...keys.filter((_, number) => answers[number]?.status !== 201));
    if (refused.length === atOnce) return { placed, refusedKeys };
  }
}

/** What the database holds of the orders that were placed from the listing. */
function books() {
  const connection = new Database(database, { readonly: true });
  try {
    const list = (sql: string) => connection.prepare<[string]>(sql).pluck().all(listingId).sort();
    const events = `SELECT order_id FROM events JOIN orders ON orders.id = order_id
      WHERE listing_id = ? AND kind =`;
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

/** What the books must hold when these orders were placed, and nothing else was. */
function booksOf(placed: string[]): ReturnType<typeof books> {
  const orders = [...placed].sort();
  return {
    ...{ orders, created: orders, requested: orders },
    available: [plenty - placed.length],
    ...{ integrity: 'ok', brokenReferences: [] },
  };
}

/** Makes room as another process can: the notifications go. */
function makeRoom(): void {
  const connection = new Database(database);
  connection.exec('DELETE FROM notifications');
  connection.close();
}

it('refuses what a full database has no room for, whole, reads on, and goes on once there is room', async () => {
  const subscription = { url: receiver.url, events: ['order.created'] };
  await send('POST', '/v1/webhooks', { apiKey: keyOf(0), body: subscription });

  const { placed, refusedKeys } = await fill();
  expect(placed.length).toBeGreaterThan(0);
  expect(books()).toEqual(booksOf(placed));
  // The receiver answers now, and there is no room to record what came of the deliveries.
  receiver.release();
  for (const key of refusedKeys.slice(-3)) expectUnavailable(await place(key));
  for (const path of ['/v1/orders', `/v1/orders/${placed[0]}`, '/v1/notifications']) {
    expect(await send('GET', path, { apiKey: keyOf(0) }), path).toMatchObject({ status: 200 });
  }
  expect(books()).toEqual(booksOf(placed));

  makeRoom();
  const again = await Promise.all(refusedKeys.map(place));
  expect(new Set(again.map(({ status }) => status))).toEqual(new Set([201]));
  for (const { headers } of again) expect(headers.get('idempotent-replayed')).toBeNull();
  const all = [...placed, ...again.flatMap(({ body }) => (body.data ? [body.data.id] : []))];
  expect(books()).toEqual(booksOf(all));

  // The same process delivers on.
  await receiver.until((arrivals) => {
    return new Set(arrivals.map(({ headers }) => headers['webhook-id'])).size === all.length;
  });
  const delivered = await finishDeliveries(server, receiver);
  expect(delivered).toHaveLength(all.length);
}, 120_000);
