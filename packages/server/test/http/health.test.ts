import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Health } from '../../src/http/health';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { FakeClock } from '../helpers/fake-clock';
import { tempFile } from '../helpers/temp-folder';
import { Trade } from '../helpers/trade';
import { getProblem, startService } from './service';

async function start() {
  const file = tempFile();
  const service = await startService({ store: openSqliteStore(file) });
  onTestFinished(() => service.close());
  return { file, service };
}

it('livez and readyz respond without a key while the server works', async () => {
  const { service } = await start();
  const checks = {
    store: { status: 'pass' },
    engine: { status: 'pass' },
    deliveries: { status: 'pass', oldestDueSeconds: 0 },
  };
  for (const [path, body] of [
    ['/livez', { status: 'ok' }],
    ['/readyz', { status: 'ready', checks }],
  ] as const) {
    const got = await service.request(`GET ${path}`);
    expect([got.status, JSON.parse(got.text)]).toEqual([200, body]);
    expect(got.headers.get('cache-control')).toBe('no-store');
    expect((await service.request(`HEAD ${path}`)).status).toBe(200);
  }
});

it('readyz fails once the database file is gone, and livez does not', async () => {
  const { file, service } = await start();
  expect((await service.request('GET /readyz')).status).toBe(200);
  rmSync(file);
  const got = await service.request('GET /readyz');
  expect(got.headers.get('content-type')).toBe('application/problem+json');
  expect(JSON.parse(got.text)).toMatchObject({
    status: 503,
    code: 'store_unavailable',
    checks: { store: { status: 'fail' }, engine: { status: 'pass' } },
  });
  expect(got.text).not.toContain(file);
  expect((await service.request('GET /livez')).status).toBe(200);
});

it('readyz fails while another process has the write lock, and passes once it is released', async () => {
  const { file, service } = await start();
  const other = new Database(file);
  onTestFinished(() => void other.close());
  other.exec('BEGIN IMMEDIATE');
  const got = await service.request('GET /readyz');
  expect(JSON.parse(got.text)).toMatchObject({
    status: 503,
    code: 'store_unavailable',
    checks: { store: { status: 'fail', detail: expect.stringContaining('cannot be written') } },
  });
  other.exec('ROLLBACK');
  await vi.waitFor(async () => {
    expect((await service.request('GET /readyz')).status).toBe(200);
  }, 10_000);
});

it('readyz fails when the database has its maximum size', async () => {
  const file = tempFile();
  await openSqliteStore(file).close();
  const probe = new Database(file);
  const pages = Number(probe.pragma('page_count', { simple: true }));
  probe.close();
  const service = await startService({ store: openSqliteStore(file, { maxPages: pages }) });
  onTestFinished(() => service.close());
  const got = await service.request('GET /readyz');
  expect(JSON.parse(got.text)).toMatchObject({
    status: 503,
    checks: { store: { status: 'fail', detail: expect.stringContaining('cannot be written') } },
  });
});

it('readyz fails if the engine does not respond, and reads all checks once a second at most', async () => {
  const store = openSqliteStore(':memory:');
  onTestFinished(() => store.close());
  const clock = new FakeClock();
  const health = new Health({ store, clock });
  let asked = 0;
  health.addEngine({
    isAlive: () => {
      asked += 1;
      return new Promise(() => {});
    },
  });
  const reports = [health.read(), health.read()];
  await clock.advance(3_000);
  for (const report of await Promise.all(reports)) {
    expect(report).toMatchObject({
      isReady: false,
      problem: { code: null },
      checks: { store: { status: 'pass' }, engine: { status: 'fail' } },
    });
  }
  expect(asked).toBe(1);
  const again = health.read();
  await clock.advance(3_000);
  expect((await again).isReady).toBe(false);
  expect(asked).toBe(2);
  expect(clock.pendingTimers).toBe(0);
});

it('readyz reports how long the oldest delivery has been due, and fails only beyond a limit', async () => {
  const store = openSqliteStore(':memory:');
  onTestFinished(() => store.close());
  const clock = new FakeClock();
  const trade = await Trade.open(store);
  await trade.subscribe(trade.buyer, ['order.created']);
  await trade.place({ now: clock.now() });
  await clock.advance(0);
  clock.set(clock.now() + 90_000);
  const deliveries = { oldestDueSeconds: 90 };
  const reporting = new Health({ store, clock });
  expect(await reporting.read()).toMatchObject({ isReady: true, checks: { deliveries } });
  const failing = new Health({ store, clock, maxDueSeconds: 60 });
  expect(await failing.read()).toMatchObject({
    isReady: false,
    checks: { deliveries: { ...deliveries, status: 'fail' } },
  });
});

it('readyz fails as soon as the shutdown starts', async () => {
  const { service } = await start();
  const pending = await service.openConnection();
  await pending.send('GET /readyz HTTP/1.1\r\nHost: x\r\n');
  // A response on another connection shows that these bytes have arrived.
  await service.request('GET /livez');
  const closed = service.close();
  await pending.send('\r\n');
  const response = await pending.response;
  expect(response).toContain('HTTP/1.1 503 ');
  expect(response).toContain('"code":"shutting_down"');
  await closed;
});

it('livez and readyz accept only GET and HEAD', async () => {
  const { service } = await start();
  for (const path of ['/livez', '/readyz']) {
    const got = await service.request(`POST ${path}`);
    expect(getProblem(got).code).toBe('method_not_allowed');
    expect(got.headers.get('allow')).toBe('GET, HEAD');
  }
});
