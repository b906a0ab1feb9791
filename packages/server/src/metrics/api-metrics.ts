import { Counter, Registry } from 'prom-client';
import type { Answered } from '../http/answered';
import type { Metrics } from './metrics';

/** The numbers of the API, and what it has to tell for them. */
export interface ApiMetrics extends Metrics {
  onAnswered(answered: Answered): void;
}

/** What endpoints are asked with; other methods are one. */
const methods = new Set(['GET', 'POST', 'PATCH', 'DELETE']);

/** Makes the metrics of the API: the requests that it answered. */
export function createApiMetrics(): ApiMetrics {
  const registry = new Registry();
  const requests = new Counter({
    name: 'tradepost_http_requests_total',
    help: 'Requests that the API answered, by method, template of the route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  return {
    onAnswered: ({ method, route, status }) =>
      requests.inc({
        method: methods.has(method) ? method : 'other',
        route: route ?? 'none',
        status,
      }),
    read: () => registry.metrics(),
  };
}
