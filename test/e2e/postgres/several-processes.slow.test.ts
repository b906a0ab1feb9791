import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { checkout, tradepostServerBin } from '../../helpers/programs';
import { runOperator } from '../../helpers/run-server-command';
import { findOrderId } from '../../helpers/seed';
import { startApi, startWorker, usePostgres } from '../../helpers/start-postgres';
import { runProcess } from '../../helpers/start-process';
import { startPausedReceiver, startReceiver } from '../../helpers/start-receiver';
import { temporaryFolder } from '../../helpers/temporary-folder';

const createDatabase = await usePostgres();

const hour = 3_600_000;

async function openInbox() {
  return await forTest(startReceiver());
}

it('two APIs and two workers share the orders, and each delivery is made once', async () => {
  const { url, seed } = await createDatabase();
  const [one, other] = await Promise.all([startApi(url), startApi(url)]);
  await Promise.all([startWorker(url), startWorker(url)]);
  const inbox = await openInbox();
  const apiKey = seed.accounts[0]?.apiKey ?? '';
  const buyers = [one, other].map((api) => new Tradepost({ baseUrl: api?.url ?? '', apiKey }));
  const [first, second] = buyers;
  if (!(first && second)) throw new Error('there are two');
  await first.webhooks.create({ url: inbox.url, events: ['order.created'] });
  const listingId = seed.listings[0]?.id ?? '';
  const placed = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      (index % 2 === 0 ? first : second).orders.create({ listingId, quantity: 1 }),
    ),
  );
  await inbox.until(({ length }) => length >= placed.length);
  expect(await second.orders.get(placed[0]?.id ?? '')).toMatchObject({ status: 'pending' });
  const ids = inbox.arrivals.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(placed.length);
  expect(ids).toHaveLength(placed.length);
});

it('one idempotency key that is used on two APIs at once places one order', async () => {
  const { url, seed } = await createDatabase();
  const apis = await Promise.all([startApi(url), startApi(url)]);
  const apiKey = seed.accounts[0]?.apiKey ?? '';
  const order = { listingId: seed.listings[0]?.id ?? '', quantity: 1 };
  for (let round = 0; round < 10; round += 1) {
    const idempotencyKey = randomUUID();
    const placed = await Promise.all(
      apis.map((api) =>
        new Tradepost({ baseUrl: api.url, apiKey }).orders.create(order, { idempotencyKey }),
      ),
    );
    expect(new Set(placed.map(({ id }) => id)).size).toBe(1);
  }
  const buyer = new Tradepost({ baseUrl: apis[0]?.url ?? '', apiKey });
  const { data: orders } = await buyer.orders.list({ status: 'pending', limit: 100 });
  const ofTest = orders.filter(({ listingId, quantity }) => {
    return listingId === order.listingId && quantity === order.quantity;
  });
  expect(ofTest).toHaveLength(10);
});

it('processes whose clocks differ by hours agree on the time of the database', async () => {
  const { url, seed } = await createDatabase();
  const folder = await forTest(temporaryFolder());
  const withOffset = async (offset: number) => {
    const file = join(folder.path, `offset-${offset}`);
    await writeFile(file, String(offset));
    return {
      nodeArgs: ['--import', join(checkout, 'test/helpers/settable-clock.mjs')],
      env: { CLOCK_OFFSET_FILE: file },
    };
  };
  const api = await startApi(url, [], await withOffset(3 * hour));
  await startWorker(url, [], await withOffset(-2 * hour));
  const inbox = await openInbox();
  const seller = new Tradepost({ baseUrl: api.url, apiKey: seed.accounts[1]?.apiKey ?? '' });
  const webhook = await seller.webhooks.create({
    url: inbox.url,
    events: ['order.status_changed'],
  });
  const id = findOrderId(seed, 'pending');
  await seller.orders.update(id, { status: 'confirmed' });
  const [arrival] = await inbox.until(({ length }) => length === 1);
  const signedAt = Number(arrival?.headers['webhook-timestamp']) * 1_000;
  const { updatedAt } = await seller.orders.get(id);
  for (const time of [signedAt, Date.parse(updatedAt), Date.parse(webhook.createdAt ?? '')]) {
    expect(Math.abs(time - Date.now())).toBeLessThan(hour / 4);
  }
});

it('the deliveries of a worker that was killed are made by another one, without waiting for their leases', async () => {
  const { url, seed } = await createDatabase();
  const api = await startApi(url);
  const paused = await forTest(startPausedReceiver());
  const worker = await startWorker(url);
  const seller = new Tradepost({ baseUrl: api.url, apiKey: seed.accounts[1]?.apiKey ?? '' });
  await seller.webhooks.create({ url: paused.url, events: ['order.status_changed'] });
  await seller.orders.update(findOrderId(seed, 'pending'), { status: 'confirmed' });
  const [first] = await paused.until(({ length }) => length === 1);
  await worker.stop('SIGKILL');
  const successor = await startWorker(url);
  await successor.writes(/"msg":"a worker died; its deliveries in flight are due again"/, 'stderr');
  const arrivals = await paused.until(({ length }) => length === 2);
  expect(arrivals[1]?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  paused.resume();
});

it('processes that start at once on an empty database create its tables once', async () => {
  const { url, seed } = await createDatabase();
  const empty = new URL(url);
  // A schema of its own is as good as a database.
  empty.search = '?options=-c%20search_path=started_at_once';
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('CREATE SCHEMA started_at_once');
  await client.end();
  const apis = await Promise.all([1, 2, 3].map(() => startApi(empty.href)));
  for (const api of apis) expect((await fetch(`${api.url}/readyz`)).status).toBe(200);
  // The other schema of the database has its own data.
  const seller = new Tradepost({
    baseUrl: apis[0]?.url ?? '',
    apiKey: seed.accounts[1]?.apiKey ?? '',
  });
  await expect(seller.orders.list()).rejects.toThrow(/API key/);
});

it('start --no-migrate rejects a database without tables, which migrate --dry-run describes', async () => {
  const { url } = await createDatabase();
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('CREATE SCHEMA not_migrated');
  await client.end();
  const database = `${url}?options=-c%20search_path=not_migrated`;
  const start = ['start', '--no-migrate', '--port', '0', '--database', database];
  const rejected = await runOperator(start);
  expect(rejected).toMatchObject({ code: 1, stdout: '' });
  expect(rejected.stderr).toContain('has no tables. Check the URL, or create them with');
  const dryRun = await runOperator(['migrate', '--dry-run', '--database', database]);
  expect(dryRun.stdout).toMatch(
    /^version 1 {2,}creates the tables; changes wait until its end; servers of schema version 1 or later can use it$/m,
  );
  expect(await runOperator(start)).toMatchObject({ code: 1 });
  expect(await runOperator(['migrate', '--database', database])).toMatchObject({ code: 0 });
  const { url: api } = await startApi(database, ['--no-migrate']);
  expect((await fetch(`${api}/readyz`)).status).toBe(200);
});

it('a database of another program is rejected and not changed', async () => {
  const { url } = await createDatabase();
  const foreign = new URL(url);
  foreign.search = '?options=-c%20search_path=foreign_program';
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('CREATE SCHEMA foreign_program; CREATE TABLE foreign_program.orders (id INT)');
  for (const command of [['start'], ['migrate'], ['seed'], ['accounts', 'list']]) {
    const args = [tradepostServerBin, ...command, '--database', foreign.href];
    const { code, stderr } = await runProcess(process.execPath, args);
    expect([command, code]).toEqual([command, 1]);
    expect(stderr).toContain('has tables of another program and was not changed');
    expect(stderr).not.toContain('tradepost:tradepost');
  }
  const { rows } = await client.query(
    "SELECT table_name FROM information_schema.tables WHERE table_schema = 'foreign_program'",
  );
  await client.end();
  expect(rows).toEqual([{ table_name: 'orders' }]);
});
