import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createProgram } from '../../src/commands/program';
import { Health } from '../../src/http/health';
import { version } from '../../src/kernel/version';
import { serveMetrics } from '../../src/metrics/metrics-server';
import { currentSchemaVersion } from '../../src/stores/sqlite/migrate';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { CapturedLog } from '../helpers/captured-log';
import { Child } from '../helpers/child';
import { startPostgres } from '../helpers/postgres';
import { tempFile } from '../helpers/temp-folder';
import { findSamples, scrape } from './scrape';

const main = new URL('../../src/main.ts', import.meta.url);

/** Runs the server as an operator does. Returns its first lines of output. */
async function start(count: number, ...args: string[]): Promise<string[]> {
  const child = new Child(main, 'start', '--port', '0', '--database', tempFile(), ...args);
  const lines: string[] = [];
  while (lines.length < count) lines.push(await child.readLine());
  return lines;
}

/** Returns what follows a word in one of the lines. */
function addressAfter(word: string, lines: string[]): string {
  const line = lines.find((one) => one.startsWith(`${word} on http://127.0.0.1:`));
  if (line === undefined) throw new Error(`no line has ${word}: ${lines.join(' | ')}`);
  return line.slice(`${word} on `.length);
}

/** Returns the URL of another path of the metrics server. */
const sibling = (url: string, path: string) => new URL(path, url).href;

const processMetric = 'process_resident_memory_bytes';
const buildInfo = `tradepost_build_info{version="${version}",schema_version="${currentSchemaVersion}"}`;

test('a worker serves metrics of its process, its deliveries and the queues', async () => {
  const lines = await start(2, '--role', 'worker', '--metrics-port', '0');
  const samples = await scrape(addressAfter('metrics', lines));
  expect(samples.get(processMetric)).toBeGreaterThan(0);
  expect(samples.get('tradepost_deliveries_total{outcome="delivered"}')).toBe(0);
  expect(samples.get('tradepost_delivery_queue_depth')).toBe(0);
  expect(samples.get(buildInfo)).toBe(1);
  expect(findSamples(samples, 'tradepost_database')).toEqual({});
}, 30_000);

test('a worker, which has no API, serves its health beside its metrics', async () => {
  const lines = await start(2, '--role', 'worker', '--metrics-port', '0');
  const url = addressAfter('metrics', lines);
  expect(await (await fetch(sibling(url, '/livez'))).json()).toEqual({ status: 'ok' });
  const ready = await fetch(sibling(url, '/readyz'));
  expect([ready.status, await ready.json()]).toEqual([
    200,
    {
      status: 'ready',
      checks: {
        store: { status: 'pass' },
        engine: { status: 'pass' },
        deliveries: { status: 'pass', oldestDueSeconds: 0 },
      },
    },
  ]);
  const samples = await scrape(url);
  expect(samples.get('tradepost_ready')).toBe(1);
  expect(findSamples(samples, 'tradepost_readiness_check')).toEqual({
    '{check="store"}': 1,
    '{check="engine"}': 1,
    '{check="deliveries"}': 1,
  });
}, 30_000);

describe('a process with PostgreSQL', () => {
  /** Starts a process with a role and two connections. Returns its samples of them. */
  async function scrapeConnections(role: 'api' | 'worker'): Promise<Record<string, number>> {
    const postgres = await startPostgres();
    onTestFinished(postgres.stop);
    const { url } = await postgres.createDatabase();
    const options = ['--metrics-port', '0', '--database-connections', '2'];
    const lines = await start(2, '--role', role, '--database', url, ...options);
    return findSamples(
      await scrape(addressAfter('metrics', lines)),
      'tradepost_database_connections',
    );
  }

  test('serves metrics of the connections of an API, without the queries of the scrape', async () => {
    expect(await scrapeConnections('api')).toMatchObject({
      '_max{pool="api"}': 2,
      '_waiting{pool="api"}': 0,
      '{pool="api",state="in_use"}': 0,
    });
  }, 60_000);

  test('serves metrics of the connections of a worker', async () => {
    const samples = await scrapeConnections('worker');
    expect(samples['_max{pool="engine"}']).toBe(2);
    expect(Object.keys(samples).filter((name) => !name.includes('pool="engine"'))).toEqual([]);
  }, 60_000);
});

test('an API serves metrics of its process, its requests and the queues, and none of deliveries', async () => {
  const lines = await start(2, '--role', 'api', '--metrics-port', '0');
  const api = addressAfter('listening', lines);
  await fetch(`${api}/v1/orders/ord_1?x=1`);
  await fetch(`${api}/v1/orders/ord_2`);
  await fetch(`${api}/nowhere/at/all`, { method: 'PUT' });
  const samples = await scrape(addressAfter('metrics', lines));
  expect(samples.get(processMetric)).toBeGreaterThan(0);
  expect(findSamples(samples, 'tradepost_http_requests_total')).toEqual({
    '{method="GET",route="/v1/orders/:id",status="401"}': 2,
    '{method="other",route="none",status="404"}': 1,
  });
  expect(samples.get(buildInfo)).toBe(1);
  expect(findSamples(samples, 'tradepost_http_request_duration_seconds_count')).toEqual({
    '{method="GET",route="/v1/orders/:id"}': 2,
    '{method="other",route="none"}': 1,
  });
  expect(samples.get('tradepost_http_connections')).toBeGreaterThan(0);
  expect(samples.get('tradepost_http_queue_length')).toBe(0);
  expect(samples.get('tradepost_http_requests_rejected_total{code="overloaded"}')).toBe(0);
  expect(samples.get('tradepost_delivery_queue_depth')).toBe(0);
  expect(findSamples(samples, 'tradepost_deliveries_total')).toEqual({});
}, 30_000);

test('a server with the role all serves all metrics', async () => {
  const lines = await start(2, '--database', ':memory:', '--metrics-port', '0');
  await fetch(`${addressAfter('listening', lines)}/v1/orders`, { method: 'POST' });
  const samples = await scrape(addressAfter('metrics', lines));
  expect(samples.get(processMetric)).toBeGreaterThan(0);
  expect(findSamples(samples, 'tradepost_http_requests_total')).toEqual({
    '{method="POST",route="/v1/orders",status="401"}': 1,
  });
  expect(samples.get('tradepost_deliveries_total{outcome="failed"}')).toBe(0);
  expect(samples.get('tradepost_deliveries_in_flight')).toBe(0);
}, 30_000);

test('a port in use is reported with the flag to choose another, and nothing keeps running', async () => {
  const store = openSqliteStore(':memory:');
  onTestFinished(() => store.close());
  const taken = await serveMetrics({
    port: 0,
    host: '127.0.0.1',
    metrics: [],
    health: new Health({ store }),
    log: new CapturedLog().log,
  });
  onTestFinished(() => taken.stop());
  const { port } = new URL(taken.url);
  const stdout = new PassThrough();
  const program = createProgram({ stdout, stderr: new PassThrough() });
  const args = ['start', '--role', 'worker', '--database', ':memory:', '--metrics-port', port];
  await expect(program.parseAsync(args, { from: 'user' })).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is in use. Stop the other program, or pass another --metrics-port; 0 selects a free one.`,
  );
  expect(stdout.read()).toBeNull();
});
