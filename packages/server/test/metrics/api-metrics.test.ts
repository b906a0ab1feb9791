import { expect, test } from 'vitest';
import {
  createApiMetrics,
  createBuildMetrics,
  createTlsMetrics,
} from '../../src/metrics/api-metrics';
import { findSamples, readSamples } from './scrape';

const order = { method: 'GET', route: '/v1/orders/:id', status: 200 };

test('durations are counted by method and route, whatever the status', async () => {
  const metrics = createApiMetrics();
  metrics.onRequestCompleted({ ...order, durationMs: 1 });
  metrics.onRequestCompleted({ ...order, status: 404, durationMs: 40 });
  metrics.onRequestCompleted({ ...order, durationMs: 30_001 });
  metrics.onRequestCompleted({ method: 'BREW', route: null, status: 404, durationMs: 0.1 });
  const samples = readSamples(await metrics.read());
  const read = (name: string) => samples.get(`tradepost_http_request_duration_seconds${name}`);
  const labels = 'method="GET",route="/v1/orders/:id"';
  expect(read(`_bucket{le="0.001",${labels}}`)).toBe(1);
  expect(read(`_bucket{le="0.025",${labels}}`)).toBe(1);
  expect(read(`_bucket{le="0.05",${labels}}`)).toBe(2);
  expect(read(`_bucket{le="30",${labels}}`)).toBe(2);
  expect(read(`_bucket{le="+Inf",${labels}}`)).toBe(3);
  expect(read(`_sum{${labels}}`)).toBeCloseTo(30.042);
  expect(read('_count{method="other",route="none"}')).toBe(1);
});

test('the load of the API is read on each scrape', async () => {
  const metrics = createApiMetrics();
  const load = { connections: 2, queueLength: 3, rejected: { overloaded: 0 } };
  metrics.addLoad(load);
  const read = async () => {
    const samples = readSamples(await metrics.read());
    return Object.values(findSamples(samples, 'tradepost_http_'));
  };
  expect(await read()).toEqual([2, 3, 0]);
  Object.assign(load, { connections: 1, queueLength: 0, rejected: { overloaded: 7 } });
  expect(await read()).toEqual([1, 0, 7]);
  expect(await read()).toEqual([1, 0, 7]);
  expect(await metrics.read()).toContain(
    'tradepost_http_requests_rejected_total{code="overloaded"} 7',
  );
});

test('what runs is a sample with the versions of the program and of its schema', async () => {
  const metrics = createBuildMetrics({ version: '1.2.3', schemaVersion: 4 });
  const samples = readSamples(await metrics.read());
  expect(samples.get('tradepost_build_info{version="1.2.3",schema_version="4"}')).toBe(1);
});

test('the expiry of the certificate is that of the current one', async () => {
  let validTo = 1_000_000;
  const metrics = createTlsMetrics(() => validTo);
  const name = 'tradepost_tls_certificate_expiry_timestamp_seconds';
  expect(readSamples(await metrics.read()).get(name)).toBe(1_000);
  validTo = 2_000_000;
  expect(readSamples(await metrics.read()).get(name)).toBe(2_000);
});
