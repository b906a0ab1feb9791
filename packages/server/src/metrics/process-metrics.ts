import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Metrics } from './metrics';

/** Makes the metrics of this process: memory, processor time, event loop, garbage collection. Once is enough for a process. */
export function createProcessMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return { read: () => registry.metrics() };
}
