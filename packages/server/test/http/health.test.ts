import { realpathSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { Health, respondToProbe } from '../../src/http/health';
import type { SqliteOptions } from '../../src/stores/sqlite/database';
import { readFreeBytes } from '../../src/stores/sqlite/free-space';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
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

/** Starts a server with these options of its store, and returns how it responds to `/readyz`. */
async function readReadiness(file: string, options: SqliteOptions): Promise<unknown> {
  const service = await startService({ store: openSqliteStore(file, options) });
  onTestFinished(() => service.close());
  return JSON.parse((await service.request('GET /readyz')).text);
}

const notReady = (detail: string) => ({
  status: 503,
  code: 'store_unavailable',
  detail,
  checks: { store: { status: 'fail', detail } },
});

it('readyz fails when the database has nearly its maximum size, although a page still fits', async () => {
  const file = tempFile();
  await openSqliteStore(file).close();
  const probe = new Database(file);
  const pages = Number(probe.pragma('page_count', { simple: true }));
  probe.close();
  for (const room of [0, 31]) {
    expect(await readReadiness(file, { maxPages: pages + room })).toMatchObject(
      notReady('The database has nearly its maximum size (--max-database-mb).'),
    );
  }
  expect(await readReadiness(file, { maxPages: pages + 32 })).toMatchObject({ status: 'ready' });
});

it('readyz passes at the maximum size if enough pages of the database are free', async () => {
  const file = tempFile();
  await openSqliteStore(file).close();
  const probe = new Database(file);
  probe.exec('CREATE TABLE filler AS SELECT zeroblob(200000)');
  const pages = Number(probe.pragma('page_count', { simple: true }));
  probe.exec('DROP TABLE filler');
  probe.close();
  expect(await readReadiness(file, { maxPages: pages })).toMatchObject({ status: 'ready' });
});

it('readyz fails when the disk is nearly full, and passes if its free space is unknown', async () => {
  const mebibyte = 1024 * 1024;
  const read = (free: number | null) => {
    const file = tempFile();
    const readFreeBytes = async (folder: string) => {
      expect(folder).toBe(realpathSync(dirname(file)));
      return free;
    };
    return readReadiness(file, { readFreeBytes });
  };
  expect(await read(4 * mebibyte - 1)).toMatchObject(
    notReady('The disk of the database has less than 4 MiB left.'),
  );
  expect(await read(4 * mebibyte)).toMatchObject({ status: 'ready' });
  expect(await read(null)).toMatchObject({ status: 'ready' });
});

it('the free space of a disk is what the system reports', async () => {
  expect(await readFreeBytes(dirname(tempFile()))).toBeGreaterThan(0);
  expect(await readFreeBytes(tempFile('missing'))).toBeNull();
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
    getBlockedMs: () => 0,
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

/** A store of several hosts whose state a test sets. */
class SharedStore {
  readonly isShared = true;
  state: 'available' | 'unavailable' | 'full' | 'silent' = 'available';
  readonly deliveries = {
    queueStatus: async () => {
      await this.#respond();
      return { depth: 0, inFlight: 0, oldestDueAt: null };
    },
  };

  async check(): Promise<void> {
    await this.#respond();
  }

  async checkWritable(): Promise<void> {
    if (this.state === 'full') throw new StoreUnavailableError('PostgreSQL: the disk is full');
  }

  async #respond(): Promise<void> {
    if (this.state === 'silent') await new Promise(() => {});
    if (this.state === 'unavailable') throw new StoreUnavailableError('PostgreSQL: ECONNREFUSED');
  }
}

describe('readyz of a process with a shared database', () => {
  let store: SharedStore;
  let clock: FakeClock;
  let health: Health;
  beforeEach(() => {
    store = new SharedStore();
    clock = new FakeClock();
    health = new Health({ store, clock });
  });

  /** Reads the report while the clock passes 3 s, the most that a probe waits. */
  async function probe() {
    const reading = health.read();
    await clock.advance(3_000);
    const { isReady, checks, problem } = await reading;
    return { isReady, store: checks.store.status, code: problem?.code };
  }

  const outages = [
    ['unavailable', 'cannot be read'],
    ['full', 'cannot be written'],
    ['silent', 'does not respond in time'],
  ] as const;
  test.each(outages)('fails after 10 s in which it is %s, and warns before', async (state, why) => {
    expect(await probe()).toMatchObject({ isReady: true, store: 'pass' });
    store.state = state;
    for (let seconds = 0; seconds < 9; seconds += 3) {
      expect(await probe()).toMatchObject({ isReady: true, store: 'warn' });
    }
    await clock.advance(1_000);
    expect(await probe()).toEqual({ isReady: false, store: 'fail', code: 'store_unavailable' });
    const { body } = await respondWithin('/readyz');
    expect(body).toMatchObject({ status: 503, detail: expect.stringContaining(why) });

    // The next outage has its own 10 s.
    store.state = 'available';
    expect(await probe()).toMatchObject({ isReady: true, store: 'pass' });
    store.state = state;
    expect(await probe()).toMatchObject({ isReady: true, store: 'warn' });
    expect(clock.pendingTimers).toBe(0);
  });

  async function respondWithin(path: '/livez' | '/readyz') {
    const responding = respondToProbe(path, health, 'req_1');
    await clock.advance(3_000);
    return responding;
  }

  test('does not fail livez, however long the outage lasts', async () => {
    store.state = 'silent';
    health.addEngine({ isAlive: async () => true, getBlockedMs: () => 300_000 });
    await probe();
    await clock.advance(300_000);
    expect(await probe()).toMatchObject({ isReady: false });
    expect(await respondWithin('/livez')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });
});

test.each([
  [0, true, 'pass'],
  [1, true, 'warn'],
  [9_999, true, 'warn'],
  [10_000, false, 'fail'],
] as const)(
  'with an engine that could record no results for %d ms, ready is %s',
  async (blockedMs, isReady, status) => {
    const health = new Health({ store: new SharedStore(), clock: new FakeClock() });
    health.addEngine({ isAlive: async () => true, getBlockedMs: () => blockedMs });
    const report = await health.read();
    expect(report).toMatchObject({ isReady, checks: { store: { status: 'pass' } } });
    expect(report.checks.engine?.status).toBe(status);
    expect(report.checks.engine?.detail ?? 'results').toContain('results');
  },
);

it('livez fails once the engine has not responded for a minute, unless the process is stopping', async () => {
  const clock = new FakeClock();
  const health = new Health({ store: new SharedStore(), clock });
  let isAlive = true;
  health.addEngine({ isAlive: async () => isAlive, getBlockedMs: () => 0 });
  const probe = () => respondToProbe('/livez', health, 'req_1');
  expect((await probe()).status).toBe(200);
  isAlive = false;
  await clock.advance(10_000);
  expect((await probe()).status).toBe(200);
  await clock.advance(59_999);
  expect((await probe()).status).toBe(200);
  await clock.advance(1);
  expect(await probe()).toEqual({
    status: 503,
    contentType: 'application/problem+json',
    body: {
      type: 'about:blank',
      title: 'Service Unavailable',
      status: 503,
      detail: 'The delivery engine has not responded for a minute.',
      requestId: 'req_1',
    },
  });
  isAlive = true;
  await clock.advance(1_000);
  expect((await probe()).status).toBe(200);

  isAlive = false;
  await clock.advance(1_000);
  await probe();
  health.stop();
  await clock.advance(60_000);
  expect((await probe()).status).toBe(200);
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
