import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { Tradepost } from '@tradepost/sdk';
import { expect, it, onTestFinished, vi } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { startHttpServer } from '../../helpers/loopback';
import { type ApiProcess, startApi, startWorker, usePostgres } from '../../helpers/start-postgres';
import { startReceiver } from '../../helpers/start-receiver';

const createDatabase = await usePostgres();

/** A load balancer that sends requests to servers in turn, and checks their health as an operator configures it. */
async function startBalancer() {
  const servers = new Map<ApiProcess, boolean>();
  let turn = 0;
  const check = async (server: ApiProcess) => {
    const isReady = await fetch(`${server.url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (servers.has(server)) servers.set(server, isReady);
  };
  const timer = setInterval(() => {
    for (const server of servers.keys()) void check(server);
  }, 50);
  onTestFinished(() => clearInterval(timer));

  /** Forwards a request over a new connection. It is not repeated: the server may have handled it. */
  function forward(incoming: IncomingMessage, response: ServerResponse): void {
    const ready = [...servers].filter(([, isReady]) => isReady).map(([server]) => server);
    turn += 1;
    const server = ready[turn % ready.length];
    if (server === undefined) {
      response.writeHead(502).end();
      return;
    }
    const { method, headers } = incoming;
    const url = new URL(incoming.url ?? '/', server.url);
    const outgoing = request(url, { method, headers, agent: false }, (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.headers);
      upstream.pipe(response);
    });
    outgoing.on('error', () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    incoming.pipe(outgoing);
  }

  const { url } = await forTest(startHttpServer(forward));
  return {
    url,
    async add(server: ApiProcess) {
      servers.set(server, false);
      await vi.waitFor(() => expect(servers.get(server)).toBe(true));
    },
    remove(server: ApiProcess) {
      servers.delete(server);
    },
  };
}

it('a rolling restart of two APIs and two workers loses no request and no delivery', async () => {
  const { url, seed } = await createDatabase();
  const options = ['--shutdown-delay', '1', '--rate-limit', '1000000'];
  const balancer = await startBalancer();
  const apis = await Promise.all([startApi(url, options), startApi(url, options)]);
  for (const api of apis) await balancer.add(api);
  const workers = await Promise.all([startWorker(url), startWorker(url)]);
  const inbox = await forTest(startReceiver());
  const client = (account: number) =>
    new Tradepost({
      baseUrl: balancer.url,
      apiKey: seed.accounts[account]?.apiKey ?? '',
      maxRetries: 0,
    });
  const [buyer, seller] = [client(0), client(1)];
  await seller.webhooks.create({ url: inbox.url, events: ['order.status_changed'] });
  const listingId = seed.listings[0]?.id ?? '';

  let isOver = false;
  const confirmed: string[] = [];
  const clients = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const { id } = await buyer.orders.create({ listingId, quantity: 1 });
      await seller.orders.update(id, { status: 'confirmed' });
      await seller.orders.update(id, { status: 'cancelled' });
      confirmed.push(id);
    }
  });
  const working = Promise.all(clients);
  // A failure is reported when all was stopped.
  working.catch(() => {});
  const progress = (count: number) =>
    vi.waitFor(() => expect(confirmed.length).toBeGreaterThan(count), { timeout: 20_000 });

  await progress(20);
  for (const api of apis) {
    expect(await api.stop('SIGTERM')).toMatchObject({ code: 0 });
    balancer.remove(api);
    const successor = await startApi(url, options);
    await balancer.add(successor);
    await progress(confirmed.length + 20);
  }
  for (const worker of workers) {
    expect(await worker.stop('SIGTERM')).toMatchObject({ code: 0 });
    await startWorker(url);
    await progress(confirmed.length + 20);
  }
  isOver = true;
  await working;
  const expected = 2 * confirmed.length;
  await inbox.until((arrivals) => countIds(arrivals) >= expected);
  expect(countIds(inbox.arrivals)).toBe(expected);
  expect(inbox.arrivals).toHaveLength(expected);
});

function countIds(arrivals: readonly { headers: Record<string, unknown> }[]): number {
  return new Set(arrivals.map(({ headers }) => headers['webhook-id'])).size;
}
