import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readCpuSeconds } from '../../helpers/cpu-time';
import { seedDatabase } from '../../helpers/seed';
import { startServerProcess } from '../../helpers/start-server-process';
import { temporaryFolder } from '../../helpers/temporary-folder';
import { sendRaw } from './raw-request';

const day = 24 * 3_600_000;

async function seed() {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const database = join(folder.path, 'tradepost.db');
  return { database, world: await seedDatabase(database) };
}

async function start(database: string, args: readonly string[] = []) {
  const server = await startServerProcess(database, args);
  onTestFinished(async () => {
    await server.stop();
  });
  return server;
}

/** Works on the file past the server, as another process. */
function inDatabase<Result>(file: string, work: (connection: Database.Database) => Result): Result {
  const connection = new Database(file);
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

it('a deleted webhook leaves its secrets neither to a repeated request nor in the file', async () => {
  const { database, world } = await seed();
  const server = await start(database);
  const apiKey = world.accounts[0]?.apiKey ?? '';
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
  // The server erases in its rounds of housekeeping: one is soon after the start, then there is one a minute.
  await vi.waitFor(isErased, { timeout: 90_000, interval: 500 });
}, 120_000);

it('old notifications that nobody read are removed soon after the start, and newer ones stay', async () => {
  const { database } = await seed();
  const count = () =>
    inDatabase(database, (connection) =>
      Number(connection.prepare('SELECT count(*) FROM notifications').pluck().get()),
    );
  const before = count();
  inDatabase(database, (connection) => {
    // Ids sort by their time: 'ntf_' and 26 digits that begin with it.
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

// Elsewhere a process's processor time is not to be read so simply.
it.runIf(process.platform === 'linux')(
  'a page deep in a long list costs what the first one costs, whatever the filters',
  async () => {
    const { database, world } = await seed();
    const [buyer] = world.accounts;
    const orders = 60_000;
    inDatabase(database, (connection) => {
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
    const timeOf = (number: number) => new Date(1_700_000_000_000 + number).toISOString();
    const created = `&createdBefore=${timeOf(orders * 2)}`;
    const first = await list(created);
    const deep = await list(`&createdBefore=${timeOf(100)}`);
    /** Processor seconds for many pages behind a cursor. */
    const cost = async (cursor: string): Promise<number> => {
      const before = readCpuSeconds(server.pid ?? 0);
      for (let page = 0; page < 150; page += 1)
        await list(`${created}&status=pending&cursor=${cursor}`);
      return readCpuSeconds(server.pid ?? 0) - before;
    };
    await cost(first);
    const shallowSeconds = await cost(first);
    // A walk through the list would take some 20 times as long.
    expect(await cost(deep)).toBeLessThan(4 * shallowSeconds + 0.2);
  },
  120_000,
);
