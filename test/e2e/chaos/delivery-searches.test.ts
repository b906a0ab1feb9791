import { join } from 'node:path';
import type { SeededAccount } from '@tradepost/server';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished, vi } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { readCpuSeconds } from '../../helpers/process-usage';
import { seedDatabase } from '../../helpers/seed';
import { type ServerProcess, startServerProcess } from '../../helpers/start-server-process';
import { temporaryFolder } from '../../helpers/temporary-folder';

/** How many deliveries a search scans. */
const deliveries = 200_000;
const clients = 100;

/** Creates a webhook with many failed deliveries, none of which a search finds. */
function insertDeliveries(database: string, accountId: string): void {
  const connection = new Database(database);
  const now = Date.now();
  const event = connection.prepare('SELECT id FROM events LIMIT 1').pluck().get();
  connection
    .prepare(
      `INSERT INTO webhooks (id, account_id, url, status, secret, created_at, updated_at)
       VALUES ('whk_1', ?, 'https://receiver.example/', 'paused', 'whsec_1', ?, ?)`,
    )
    .run(accountId, now, now);
  connection
    .prepare("INSERT INTO webhook_events VALUES (?, 'order.status_changed', 'whk_1')")
    .run(accountId);
  connection.exec(
    `INSERT INTO queues (webhook_id, depth, in_flight, paused, concurrency_limit, failures, failed_at, backoff_until, failing_since)
     VALUES ('whk_1', 0, 0, 1, 4, 0, 0, 0, 0)`,
  );
  connection
    .prepare(
      `WITH RECURSIVE numbers (number) AS (
         SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ${deliveries})
       INSERT INTO deliveries (id, event_id, webhook_id, event_type, test, state, attempts, tries,
         deadline_at, last_status, created_at, finished_at)
       SELECT printf('dlv_%026d', number), ?, 'whk_1', 'order.status_changed', 0, 'failed', 1, 1,
         ?, 500, ?, ? FROM numbers`,
    )
    .run(event, now, now, now);
  connection.close();
}

let server: ServerProcess;

async function get(path: string, { apiKey }: SeededAccount, signal?: AbortSignal) {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const response = await fetch(server.url + path, { headers, ...(signal && { signal }) });
  await response.arrayBuffer();
  return response.status;
}

const search = (as: SeededAccount, signal?: AbortSignal) =>
  get('/v1/deliveries?event=task.completed', as, signal);

// Reading the processor time of a process needs Linux.
it.runIf(process.platform === 'linux')(
  'the server drops the searches of 100 clients that disconnect, and serves the others meanwhile',
  async () => {
    const folder = await forTest(temporaryFolder());
    const database = join(folder.path, 'tradepost.db');
    const { accounts } = await seedDatabase(database);
    const [buyer, crowd] = accounts;
    if (buyer === undefined || crowd === undefined)
      throw new Error('The seed has too few accounts.');
    insertDeliveries(database, crowd.id);
    server = await startServerProcess(database, ['--log-level', 'silent']);
    onTestFinished(async () => {
      await server.stop();
    });
    const cpuSeconds = () => readCpuSeconds(server.pid ?? 0);

    const beforeOne = cpuSeconds();
    const searches = 5;
    for (let count = 0; count < searches; count += 1) expect(await search(crowd)).toBe(200);
    const perSearch = (cpuSeconds() - beforeOne) / searches;

    const before = cpuSeconds();
    const disconnect = new AbortController();
    const crowdSearches = Array.from({ length: clients }, () => search(crowd, disconnect.signal));
    const ended = Promise.allSettled(crowdSearches);
    expect(await get('/v1/account', buyer)).toBe(200);
    expect(await search(buyer)).toBe(200);
    disconnect.abort();
    await ended;
    expect(await get('/v1/account', crowd)).toBe(200);
    expect(await search(crowd)).toBe(200);

    // Idle again: the process uses less than half of one processor between two polls.
    const interval = 200;
    let last = Number.NEGATIVE_INFINITY;
    const expectIdle = () => {
      const now = cpuSeconds();
      const used = now - last;
      last = now;
      expect(used).toBeLessThan(interval / 1_000 / 2);
    };
    await vi.waitFor(expectIdle, { interval, timeout: 60_000 });
    // Finishing them all would take as much processor time as running them one by one.
    expect(cpuSeconds() - before).toBeLessThan((clients / 4) * perSearch);
  },
  120_000,
);
