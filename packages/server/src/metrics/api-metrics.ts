import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Health } from '../http/health';
import type { CompletedRequest } from '../http/request-log';
import type { Metrics } from './metrics-server';

/** The metrics of the API. */
export interface ApiMetrics extends Metrics {
  onRequestCompleted(request: CompletedRequest): void;
  /** Adds the metrics of how busy the API is. Call it once. */
  addLoad(load: Load): void;
}

/** How busy an API is, as `Api.load` returns it. */
interface Load {
  readonly connections: number;
  readonly queueLength: number;
  readonly rejected: Readonly<Record<string, number>>;
}

/** The methods of the endpoints. Other methods share one label. */
const methods = new Set(['GET', 'POST', 'PATCH', 'DELETE']);

/** Creates the metrics of the API. */
export function createApiMetrics(): ApiMetrics {
  const registry = new Registry();
  const requests = new Counter({
    name: 'tradepost_http_requests_total',
    help: 'Completed API requests, by method, route template and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'tradepost_http_request_duration_seconds',
    help: 'Duration of API requests, by method and route template, from the headers to the end of the response.',
    labelNames: ['method', 'route'],
    // Nearly all take milliseconds. Long polls take up to 30 s.
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  return {
    onRequestCompleted(request) {
      const method = methods.has(request.method) ? request.method : 'other';
      const route = request.route ?? 'none';
      requests.inc({ method, route, status: request.status });
      durations.observe({ method, route }, request.durationMs / 1_000);
    },
    addLoad: (load) => addLoadMetrics(registry, load),
    read: () => registry.metrics(),
  };
}

function addLoadMetrics(registry: Registry, load: Load): void {
  new Gauge({
    name: 'tradepost_http_connections',
    help: 'Open connections of API clients.',
    registers: [registry],
    collect() {
      this.set(load.connections);
    },
  });
  new Gauge({
    name: 'tradepost_http_queue_length',
    help: 'API requests that wait until the server can handle them.',
    registers: [registry],
    collect() {
      this.set(load.queueLength);
    },
  });
  new Counter({
    name: 'tradepost_http_requests_rejected_total',
    help: 'API requests rejected before they reached an endpoint, by the code of their response.',
    labelNames: ['code'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [code, count] of Object.entries(load.rejected)) this.inc({ code }, count);
    },
  });
}

/**
 * Creates the metric of the certificate.
 *
 * @param getValidTo Returns when it expires, in milliseconds since 1970.
 */
export function createTlsMetrics(getValidTo: () => number): Metrics {
  const registry = new Registry();
  new Gauge({
    name: 'tradepost_tls_certificate_expiry_timestamp_seconds',
    help: 'When the TLS certificate of the API expires, in seconds since 1970.',
    registers: [registry],
    collect() {
      this.set(getValidTo() / 1_000);
    },
  });
  return { read: () => registry.metrics() };
}

/** Creates the metric of what runs. `schemaVersion` is that of the program, not that of a database that was migrated since. */
export function createBuildMetrics(build: { version: string; schemaVersion: number }): Metrics {
  const registry = new Registry();
  new Gauge({
    name: 'tradepost_build_info',
    help: 'Always 1, with the version of the program and of the database schema that it was made for.',
    labelNames: ['version', 'schema_version'],
    registers: [registry],
  }).set({ version: build.version, schema_version: build.schemaVersion }, 1);
  return { read: () => registry.metrics() };
}

/** Creates the metrics of the health checks, which run on each scrape. */
export function createHealthMetrics(health: Pick<Health, 'read'>): Metrics {
  const registry = new Registry();
  const ready = new Gauge({
    name: 'tradepost_ready',
    help: 'Whether this process is ready, as /readyz responds: 1 or 0.',
    registers: [registry],
  });
  const checks = new Gauge({
    name: 'tradepost_readiness_check',
    help: 'Whether each check of /readyz passes: 1 or 0.',
    labelNames: ['check'],
    registers: [registry],
  });
  return {
    async read() {
      const report = await health.read();
      ready.set(Number(report.isReady));
      for (const [check, { status }] of Object.entries(report.checks)) {
        checks.set({ check }, Number(status === 'pass'));
      }
      return registry.metrics();
    },
  };
}

/** Creates the metrics of this process: memory, CPU time, event loop, garbage collection. Call it once per process. */
export function createProcessMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return { read: () => registry.metrics() };
}
