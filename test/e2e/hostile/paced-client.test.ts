import { Tradepost, type TradepostOptions } from '@tradepost/sdk';
import {
  createIdGenerator,
  createLog,
  openSqliteStore,
  seed,
  startServer,
  strictWebhookPolicy,
} from '@tradepost/server';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createIdleWaits } from '../../helpers/idle-waits';

/** The clock of the server and of its clients, which advances when no request is in flight. */
function fakeClocks() {
  // Only the clocks: sockets need real timers. The windows of the rate limit end by `Date`.
  vi.useFakeTimers({
    toFake: ['Date', 'performance'],
    now: Date.parse('2026-11-21T09:30:00.000Z'),
  });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  return createIdleWaits(Date.now, (milliseconds) => {
    vi.advanceTimersByTime(Math.ceil(milliseconds));
  });
}

/** Starts the server with a rate limit of 60 a minute. Returns clients of one API key, and counts requests by status. */
async function startLimited(clients: number, options: Partial<TradepostOptions> = {}) {
  const waits = fakeClocks();
  const clock = {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    schedule(milliseconds: number, work: () => void) {
      const timer = setTimeout(work, milliseconds).unref();
      return () => clearTimeout(timer);
    },
  };
  const store = openSqliteStore(':memory:');
  const { accounts } = await seed(store, clock, createIdGenerator());
  const server = await startServer({
    store,
    clock,
    log: createLog('silent'),
    host: '127.0.0.1',
    port: 0,
    rateLimit: 60,
    webhookPolicy: strictWebhookPolicy,
    docs: false,
  });
  onTestFinished(() => server.close());
  const statuses: number[] = [];
  const create = () =>
    new Tradepost({
      baseUrl: server.url,
      apiKey: accounts[0]?.apiKey ?? '',
      fetch: waits.track(fetch),
      wait: waits.wait,
      hooks: { onResponse: ({ status }) => void statuses.push(status) },
      ...options,
    });
  return { clients: Array.from({ length: clients }, create), statuses, waits };
}

it('lets a client list 200 times at once in four minutes, with one request each', async () => {
  const { clients, statuses, waits } = await startLimited(1, { deadline: 240_000 });
  const startedAt = Date.now();
  await Promise.all(Array.from({ length: 200 }, () => clients[0]?.orders.list({ limit: 1 })));
  expect(statuses).toEqual(Array(200).fill(200));
  expect(Date.now() - startedAt).toBeLessThan(240_000);
  expect(waits.waiting).toBe(0);
});

it('lets three clients with one key share the limit, with few rejected requests', async () => {
  const { clients, statuses } = await startLimited(3, { deadline: 300_000 });
  const startedAt = Date.now();
  const calls = clients.flatMap((client) =>
    Array.from({ length: 67 }, () => client.orders.list({ limit: 1 })),
  );
  await Promise.all(calls);
  expect(statuses.filter((status) => status === 200)).toHaveLength(201);
  // Each client knows only from responses what the others have used.
  expect(statuses.length).toBeLessThan(201 * 1.6);
  expect(Date.now() - startedAt).toBeLessThan(300_000);
});
