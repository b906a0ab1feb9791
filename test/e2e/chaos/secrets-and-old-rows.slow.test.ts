import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import Database from 'better-sqlite3';
import { expect, it, vi } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { readCpuSeconds } from '../../helpers/process-usage';
import { seedDatabase } from '../../helpers/seed';
import { startServerProcess } from '../../helpers/start-server-process';
import { temporaryFolder } from '../../helpers/temporary-folder';
import { sendRaw } from './helpers/raw-request';

const day = 24 * 3_600_000;

async function createDatabase() {
  const folder = await forTest(temporaryFolder());
  const database = join(folder.path, 'tradepost.db');
  return { database, seed: await seedDatabase(database) };
}

async function start(database: string, args: readonly string[] = []) {
  return await forTest(startServerProcess(database, args));
}

/** Uses the database directly, as another process would. */
function withDatabase<Result>(
  file: string,
  use: (connection: Database.Database) => Result,
): Result {
  const connection = new Database(file);
  try {
    return use(connection);
  } finally {
    connection.close();
  }
}

it('the secrets of a deleted webhook are neither in a replayed response nor in the database file', async () => {
  const { database, seed } = await createDatabase();
  const server = await start(database);
  const apiKey = seed.accounts[0]?.apiKey ?? '';
  const body = { url: 'https://receiver.example/hook', events: ['order.created'] };
  const register = () =>
    sendRaw('POST', `${server.url}/v1/webhooks`, { apiKey, key: 'once', body });
  const { data } = (await register()).body as { data?: { id: string; secret: string } };
  const { id = '', secret = '' } = data ?? {};
  const buyer = new Tradepost({ baseUrl: server.url, apiKey });
  const { secret: staged } = await buyer.webhooks.stageSecret(id);
  await buyer.webhooks.delete(id);

  const again = await register();
  expect(again.status).toBe(409);
  expect(again.body).toMatchObject({ code: 'webhook_deleted' });
  expect(JSON.stringify(again.body)).not.toContain('whsec_');
  for (const text of [secret, staged]) expect(text).toMatch(/^whsec_/);
  const isErased = () => {
    const paths = [database, `${database}-wal`];
    const bytes = paths.map((path) => readFileSync(path).toString('latin1')).join();
    expect(bytes.includes(secret)).toBe(false);
    expect(bytes.includes(staged)).toBe(false);
  };
  // Housekeeping erases them: soon after the start, then once a minute.
  await vi.waitFor(isErased, { timeout: 90_000, interval: 500 });
}, 120_000);

it('housekeeping deletes old unread notifications soon after the start, and keeps newer ones', async () => {
  const { database } = await createDatabase();
  const count = () =>
    withDatabase(database, (connection) =>
      Number(connection.prepare('SELECT count(*) FROM notifications').pluck().get()),
    );
  const before = count();
  withDatabase(database, (connection) => {
    // IDs sort by time: the 26 digits after 'ntf_' start with it.
    connection.exec(
      `INSERT INTO notifications
         SELECT printf('ntf_00%024d', row_number() OVER (ORDER BY id)), account_id, event_id, type, order_id,
           message, 0, ${Date.now() - 181 * day} FROM notifications`,
    );
  });
  expect(count()).toBe(2 * before);
  await start(database);
  await vi.waitFor(() => expect(count()).toBe(before), { timeout: 30_000, interval: 200 });
}, 60_000);

// Reading the processor time of a process needs Linux.
it.runIf(process.platform === 'linux')(
  'a page deep in a long list costs as much as the first one, with any filters',
  async () => {
    const { database, seed } = await createDatabase();
    const [buyer] = seed.accounts;
    const orders = 60_000;
    withDatabase(database, (connection) => {
      connection.exec(
        `WITH RECURSIVE numbers (number) AS (
           SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ${orders})
         INSERT INTO orders
           SELECT printf('ord_01%024d', number), 'pending', o.buyer_id, o.seller_id, o.agent_id,
             o.listing_id, 1, 1, 1700000000000 + number, 1700000000000 + number
           FROM numbers, (SELECT * FROM orders WHERE buyer_id = '${buyer?.id}' LIMIT 1) AS o`,
      );
    });
    const server = await start(database, ['--log-level', 'silent']);
    const list = async (query: string): Promise<string> => {
      const { status, body } = await sendRaw('GET', `${server.url}/v1/orders?limit=1${query}`, {
        apiKey: buyer?.apiKey ?? '',
      });
      expect(status).toBe(200);
      return (body as { nextCursor?: string }).nextCursor ?? '';
    };
    const toTimestamp = (number: number) => new Date(1_700_000_000_000 + number).toISOString();
    const created = `&createdBefore=${toTimestamp(orders * 2)}`;
    const first = await list(created);
    const deep = await list(`&createdBefore=${toTimestamp(100)}`);
    /** Measures the processor seconds for many pages after a cursor. */
    const measureCost = async (cursor: string): Promise<number> => {
      const before = readCpuSeconds(server.pid ?? 0);
      for (let page = 0; page < 150; page += 1)
        await list(`${created}&status=pending&cursor=${cursor}`);
      return readCpuSeconds(server.pid ?? 0) - before;
    };
    await measureCost(first);
    const shallowSeconds = await measureCost(first);
    // Scanning the list would take about 20 times as long.
    expect(await measureCost(deep)).toBeLessThan(4 * shallowSeconds + 0.2);
  },
  120_000,
);
