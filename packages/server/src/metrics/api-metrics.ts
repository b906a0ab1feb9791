import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Health } from '../http/health';
import type { CompletedRequest } from '../http/request-log';
import type { Metrics } from './metrics-server';

/** The metrics of the API. */
export interface ApiMetrics extends Metrics {
  onRequestCompleted(request: CompletedRequest): void;
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
  return {
    onRequestCompleted: ({ method, route, status }) =>
      requests.inc({
        method: methods.has(method) ? method : 'other',
        route: route ?? 'none',
        status,
      }),
    read: () => registry.metrics(),
  };
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
