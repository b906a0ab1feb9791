import type { Logger } from 'pino';
import { loadProcessMetrics } from '../metrics/load-metrics';
import type { Metrics } from '../metrics/metrics';
import { type MetricsServer, serveMetrics } from '../metrics/metrics-server';
import { explainListenError } from './explain-listen-error';
import type { StartOptions } from './start-options';

/** Serves metrics of this process and what it does if that was asked for, else does nothing. */
export async function startMetrics(
  { metricsPort: port, metricsHost: host }: StartOptions,
  metrics: Metrics[],
  log: Logger,
): Promise<MetricsServer | undefined> {
  if (port === undefined) return undefined;
  const all = [...metrics, await loadProcessMetrics()];
  return serveMetrics({ port, host, metrics: all, log }).catch((error: unknown) => {
    throw explainListenError(error, { port, host }, '--metrics-');
  });
}
