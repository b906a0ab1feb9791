import type { Clock } from '@tradepost/domain/kernel/context';
import type { Health } from '../http/health';
import type { Store } from '../stores/store';
import type { ApiMetrics } from './api-metrics';
import type { ConnectionReaders } from './database-metrics';
import type { EngineMetrics } from './engine-metrics';
import type { Metrics } from './metrics-server';

// prom-client takes longer to load than the rest of the server, so it is loaded only if metrics are enabled.

/** Loads and creates the metrics of a delivery engine. */
export async function loadEngineMetrics(store: Store, clock: Clock): Promise<EngineMetrics> {
  const { createEngineMetrics } = await import('./engine-metrics');
  return createEngineMetrics(store.deliveries, clock);
}

/** Loads and creates the metrics of a store's queues, for a process without an engine. */
export async function loadQueueMetrics(store: Store, clock: Clock): Promise<Metrics> {
  const { createQueueMetrics } = await import('./engine-metrics');
  return createQueueMetrics(store.deliveries, clock);
}

/** Loads and creates the metrics of the connections to a database server. */
export async function loadDatabaseMetrics(readers: ConnectionReaders): Promise<Metrics> {
  const { createDatabaseMetrics } = await import('./database-metrics');
  return createDatabaseMetrics(readers);
}

/** Loads and creates the metrics of this process. */
export async function loadProcessMetrics(): Promise<Metrics> {
  const { createProcessMetrics } = await import('./api-metrics');
  return createProcessMetrics();
}

/** Loads and creates the metrics of the health checks. */
export async function loadHealthMetrics(health: Health): Promise<Metrics> {
  const { createHealthMetrics } = await import('./api-metrics');
  return createHealthMetrics(health);
}

/** Loads and creates the metrics of the API. */
export async function loadApiMetrics(): Promise<ApiMetrics> {
  const { createApiMetrics } = await import('./api-metrics');
  return createApiMetrics();
}

/** Loads and creates the metric of the certificate, which expires at `getValidTo`, in milliseconds since 1970. */
export async function loadTlsMetrics(getValidTo: () => number): Promise<Metrics> {
  const { createTlsMetrics } = await import('./api-metrics');
  return createTlsMetrics(getValidTo);
}
