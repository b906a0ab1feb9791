import { Counter, Gauge, Registry } from 'prom-client';
import type { ConnectionStatus } from '../stores/store';
import type { Metrics } from './metrics-server';

/** Reads the state of each pool of connections; null if it is unavailable. The keys are the values of the label `pool`. */
export type ConnectionReaders = Readonly<
  Partial<Record<'api' | 'engine', () => Promise<ConnectionStatus | null>>>
>;

/**
 * Creates the metrics of the connections to a database server. A pool whose state is unavailable is left out, because any value would
 * be wrong.
 */
export function createDatabaseMetrics(readers: ConnectionReaders): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const connections = new Gauge({
    name: 'tradepost_database_connections',
    help: 'Connections to the database, by pool and state: idle or in_use.',
    labelNames: ['pool', 'state'],
    registers,
  });
  const waiting = new Gauge({
    name: 'tradepost_database_connections_waiting',
    help: 'Changes and reads that wait for a connection to the database, by pool.',
    labelNames: ['pool'],
    registers,
  });
  const max = new Gauge({
    name: 'tradepost_database_connections_max',
    help: 'How many connections to the database may be open, by pool.',
    labelNames: ['pool'],
    registers,
  });
  const retries = new Counter({
    name: 'tradepost_database_transaction_retries_total',
    help: 'Transactions that ran again, by pool and reason: serialization, deadlock, conflict or connection.',
    labelNames: ['pool', 'reason'],
    registers,
  });
  const timeline = new Gauge({
    name: 'tradepost_database_timeline',
    help: 'The timeline of the database server that connections lead to, by pool and host. Each failover starts a higher one.',
    labelNames: ['pool', 'host'],
    registers,
  });
  return {
    async read() {
      const statuses = await Promise.all(
        Object.entries(readers).map(async ([pool, read]) => ({ pool, status: await read() })),
      );
      for (const metric of [connections, waiting, max, retries, timeline]) metric.reset();
      for (const { pool, status } of statuses) {
        if (status === null) continue;
        connections.set({ pool, state: 'idle' }, status.idle);
        connections.set({ pool, state: 'in_use' }, status.inUse);
        waiting.set({ pool }, status.waiting);
        max.set({ pool }, status.max);
        for (const [reason, count] of Object.entries(status.retries)) {
          retries.inc({ pool, reason }, count);
        }
        if (status.server !== null) {
          timeline.set({ pool, host: status.server.host }, status.server.timeline);
        }
      }
      return registry.metrics();
    },
  };
}
