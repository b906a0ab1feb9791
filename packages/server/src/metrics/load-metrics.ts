import type { Clock } from '../clock';
import type { Store } from '../store';
import type { ApiMetrics } from './api-metrics';
import type { EngineMetrics } from './engine-metrics';
import type { Metrics } from './metrics';

// The library takes longer to load than the rest of the server: who asks for no metrics must not wait for it.

/** Loads and makes the metrics of a delivery engine on a store. */
export async function loadEngineMetrics(store: Store, clock: Clock): Promise<EngineMetrics> {
  const { createEngineMetrics } = await import('./engine-metrics');
  return createEngineMetrics(store.deliveries, clock);
}

/** Loads and makes the metrics of a store's queues, for a process without an engine. */
export async function loadQueueMetrics(store: Store, clock: Clock): Promise<Metrics> {
  const { createQueueMetrics } = await import('./queue-metrics');
  return createQueueMetrics(store.deliveries, clock);
}

/** Loads and makes the metrics of this process. */
export async function loadProcessMetrics(): Promise<Metrics> {
  const { createProcessMetrics } = await import('./process-metrics');
  return createProcessMetrics();
}

/** Loads and makes the metrics of the API. */
export async function loadApiMetrics(): Promise<ApiMetrics> {
  const { createApiMetrics } = await import('./api-metrics');
  return createApiMetrics();
}
