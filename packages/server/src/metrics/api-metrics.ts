import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
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

/** Creates the metrics of this process: memory, CPU time, event loop, garbage collection. Call it once per process. */
export function createProcessMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return { read: () => registry.metrics() };
}
