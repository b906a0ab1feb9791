import { systemClock } from './clock';
import { type Engine, startEngine } from './engine';
import { createLog, type LogLevel } from './log';
import { loadEngineMetrics } from './metrics/load-metrics';
import type { Retention } from './retention/retention';
import type { SocketBudget } from './socket-budget';
import type { SqliteOptions } from './stores/sqlite/open-connection';
import { openSqliteStore } from './stores/sqlite/sqlite-store';
import { insecureWebhookPolicy, strictWebhookPolicy } from './webhooks/webhook-policy';

/** All that an engine of its own needs to know: plain values, so that they can be handed to a thread. */
export interface EngineSettings {
  /** The SQLite file. */
  database: string;
  storeOptions: SqliteOptions;
  logLevel: LogLevel;
  /** Deliver to `http://`, to private addresses and past bad certificates: for development. */
  insecureWebhooks: boolean;
  retention: Retention;
  /** Milliseconds after which it looks for deliveries that other processes queued; 1 s unless told. */
  lookEvery?: number;
  /** How many sockets it may have open. */
  sockets: Pick<SocketBudget, 'attempts' | 'idle'>;
  /** Whether it is to count what it does. */
  metrics: boolean;
}

/** Starts an engine with a store and a log of its own. Its stop closes the store too. */
export async function startOwnEngine(settings: EngineSettings): Promise<Engine> {
  const { database, storeOptions, logLevel, insecureWebhooks, retention } = settings;
  const store = openSqliteStore(database, storeOptions);
  const engine = startEngine({
    store,
    log: createLog(logLevel),
    webhookPolicy: insecureWebhooks ? insecureWebhookPolicy : strictWebhookPolicy,
    retention,
    lookEvery: settings.lookEvery,
    sockets: settings.sockets,
    metrics: settings.metrics ? await loadEngineMetrics(store, systemClock) : undefined,
  });
  return {
    ...engine,
    async stop(patience) {
      await engine.stop(patience);
      await store.close();
    },
  };
}
