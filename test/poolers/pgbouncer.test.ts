import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import { expect, it } from 'vitest';
import { forTest } from '../helpers/for-test';
import { findUnusedPort } from '../helpers/loopback';
import { startApi, startWorker, usePostgres } from '../helpers/start-postgres';
import { startReceiver } from '../helpers/start-receiver';
import { startProgram } from './start-program';

const createDatabase = await usePostgres();

/** Starts PgBouncer in transaction mode, with fewer sessions than clients. Returns the URL of the database through it. */
async function startPgBouncer(target: string): Promise<string> {
  const { port: serverPort, username, password } = new URL(target);
  const port = await findUnusedPort();
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${serverPort}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'pool_mode = transaction',
    'default_pool_size = 3',
    'max_client_conn = 200',
    'auth_type = plain',
  ];
  await startProgram({
    path: '/usr/sbin/pgbouncer',
    variable: 'PGBOUNCER_PATH',
    files: (folder) => ({
      'users.txt': `"${username}" "${password}"\n`,
      'pgbouncer.ini': `${settings.join('\n')}\nauth_file = ${join(folder, 'users.txt')}\n`,
    }),
    args: (folder) => {
      // It does not run as root.
      const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
      return [...user, join(folder, 'pgbouncer.ini')];
    },
    port,
  });
  const url = new URL(target);
  url.port = String(port);
  return url.href;
}

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
