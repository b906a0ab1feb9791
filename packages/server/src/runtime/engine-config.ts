import { systemClock } from '@tradepost/domain/kernel/context';
import {
  insecureWebhookPolicy,
  strictWebhookPolicy,
} from '@tradepost/domain/webhooks/webhook-policy';
import { createLog, type LogLevel } from '../kernel/log';
import { loadMetrics } from '../metrics/load-metrics';
import type { Retention } from '../retention/retention';
import { openStore, type StoreOptions } from '../stores/open-store';
import type { Store } from '../stores/store';
import { loadTracer } from '../tracing/load-tracer';
import type { TracingConfig } from '../tracing/start-tracing';
import { type Engine, startEngine } from './engine';
import type { SocketBudget } from './socket-budget';

/** The configuration of a standalone engine. It can be passed to a thread: secret keys are copied as key objects. */
export interface EngineConfig {
  /** The SQLite file, or the URL of the PostgreSQL database. */
  database: string;
  storeOptions: StoreOptions;
  logLevel: LogLevel;
  /** Deliver to `http://` URLs, to private addresses and with invalid certificates. For development. */
  insecureWebhooks: boolean;
  retention: Retention;
  /** After how many days of failures alone an endpoint is disabled; 0 for never. */
  disableAfterDays: number;
  /**
   * How often to poll for deliveries that other processes queued, in milliseconds.
   * @default 1000
   */
  pollIntervalMs?: number;
  /** How many sockets it may open. */
  sockets: Pick<SocketBudget, 'attempts' | 'idle'>;
  /** Whether to collect metrics. */
  metrics: boolean;
  /** How a thread of its own exports traces; by default it does not. */
  tracing?: TracingConfig | undefined;
}

/** Starts an engine with its own store and log. Stopping it closes the store. */
export async function createEngine(config: EngineConfig): Promise<Engine & { store: Store }> {
  const { database, storeOptions, logLevel, insecureWebhooks, retention } = config;
  const log = createLog(logLevel);
  const store = await openStore(database, { ...storeOptions, log });
  const { clock = systemClock } = store;
  const metrics = config.metrics
    ? (await loadMetrics()).createEngineMetrics(store.deliveries, clock)
    : undefined;
  const engine = startEngine({
    store,
    clock,
    log,
    webhookPolicy: insecureWebhooks ? insecureWebhookPolicy : strictWebhookPolicy,
    retention,
    disableAfterDays: config.disableAfterDays,
    pollIntervalMs: config.pollIntervalMs,
    sockets: config.sockets,
    metrics,
    tracer: await loadTracer(),
  });
  return {
    ...engine,
    store,
    async stop(timeoutMs) {
      await engine.stop(timeoutMs);
      await store.close();
    },
  };
}
