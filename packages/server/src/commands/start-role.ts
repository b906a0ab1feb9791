import type { Logger } from 'pino';
import { serveApi } from '../api';
import { systemClock } from '../clock';
import { type Engine, startEngine } from '../engine';
import { type EngineSettings, startOwnEngine } from '../engine-settings';
import { startEngineThread } from '../engine-thread';
import { createLog } from '../log';
import { loadApiMetrics, loadEngineMetrics, loadQueueMetrics } from '../metrics/load-metrics';
import type { Metrics } from '../metrics/metrics';
import { stopPatience } from '../server';
import type { Store } from '../store';
import { readFileId } from '../stores/sqlite/file-identity';
import type { SqliteOptions } from '../stores/sqlite/open-connection';
import { openSqliteStore } from '../stores/sqlite/sqlite-store';
import { turnMemory } from '../stores/sqlite/write-turns';
import {
  insecureWebhookPolicy,
  strictWebhookPolicy,
  type WebhookPolicy,
} from '../webhooks/webhook-policy';
import { explainListenError } from './explain-listen-error';
import { readRetention, type StartOptions } from './start-options';
import { chooseMaxConnections, chooseSocketBudget } from './start-sockets';

/** What was started, and how it stops. */
export interface Started {
  /** What the operator is told on stdout. */
  told: string;
  /** What it counts; nothing unless metrics are served. */
  metrics: Metrics[];
  stop(): Promise<void>;
}

const pagesPerMb = 256;
/** A look costs some millionths of a second, and a worker that is alone learns of deliveries in no other way. */
const aloneLooksEvery = 100;

function storeOptionsOf({ maxDatabaseMb }: StartOptions): SqliteOptions {
  return maxDatabaseMb === undefined ? {} : { maxPages: maxDatabaseMb * pagesPerMb };
}

function policyOf({ allowInsecureWebhooks }: StartOptions): WebhookPolicy {
  return allowInsecureWebhooks ? insecureWebhookPolicy : strictWebhookPolicy;
}

function isMeasured({ metricsPort }: StartOptions): boolean {
  return metricsPort !== undefined;
}

/** Whether deliveries have a thread of their own: unless no other thread could open the store. */
function hasEngineThread({ role, database }: StartOptions): boolean {
  return role === 'all' && database !== ':memory:';
}

function engineSettingsOf(options: StartOptions): EngineSettings {
  return {
    database: options.database,
    storeOptions: storeOptionsOf(options),
    logLevel: options.logLevel,
    insecureWebhooks: options.allowInsecureWebhooks ?? false,
    retention: readRetention(options),
    sockets: chooseSocketBudget(options),
    metrics: isMeasured(options),
  };
}

/** Starts an engine beside the API. */
async function startEngineBeside(
  store: Store,
  log: Logger,
  options: StartOptions,
  turns: SharedArrayBuffer,
): Promise<Engine> {
  const settings = engineSettingsOf(options);
  if (!hasEngineThread(options)) {
    const metrics = settings.metrics ? await loadEngineMetrics(store, systemClock) : undefined;
    const { retention, sockets } = settings;
    const webhookPolicy = policyOf(options);
    return startEngine({ store, log, webhookPolicy, retention, sockets, metrics });
  }
  // Somebody waits for what the API writes; nobody waits for the record of a delivery.
  settings.storeOptions.turns = { memory: turns, yields: true };
  // A thread that is started again later must not make a file, or open another one.
  settings.storeOptions.expectedFile = readFileId(options.database) ?? '';
  const thread = startEngineThread(settings, log);
  store.onDeliveriesQueued(() => thread.wake());
  return thread;
}

function metricsOf(engine: Engine): Metrics {
  return { read: () => engine.readMetrics() };
}

async function startWorker(options: StartOptions): Promise<Started> {
  const engine = await startOwnEngine({ ...engineSettingsOf(options), lookEvery: aloneLooksEvery });
  return {
    told: `delivering from ${options.database}`,
    metrics: [metricsOf(engine)],
    stop: () => engine.stop(stopPatience),
  };
}

async function startApi(options: StartOptions): Promise<Started> {
  const log = createLog(options.logLevel);
  const maxConnections = chooseMaxConnections(options);
  const turns = turnMemory();
  const store = openSqliteStore(options.database, {
    ...storeOptionsOf(options),
    ...(hasEngineThread(options) && { turns: { memory: turns, yields: false } }),
  });
  const metrics: Metrics[] = [];
  const apiMetrics = isMeasured(options) ? await loadApiMetrics() : undefined;
  if (apiMetrics) metrics.push(apiMetrics);
  const api = await serveApi({
    store,
    log,
    port: options.port,
    host: options.host,
    rateLimit: options.rateLimit,
    maxConnections,
    webhookPolicy: policyOf(options),
    onAnswered: apiMetrics?.onAnswered,
  }).catch(async (error: unknown) => {
    await store.close();
    throw explainListenError(error, options);
  });

  const engine =
    options.role === 'all' ? await startEngineBeside(store, log, options, turns) : undefined;
  if (engine) metrics.push(metricsOf(engine));
  else if (isMeasured(options)) metrics.push(await loadQueueMetrics(store, systemClock));
  return {
    told: `listening on ${api.url}`,
    metrics,
    async stop() {
      await Promise.all([api.stop(stopPatience), engine?.stop(stopPatience)]);
      await store.close();
    },
  };
}

/**
 * Starts what a process with this role does.
 *
 * @throws OperatorError when it cannot be started as it is told to.
 */
export async function startRole(options: StartOptions): Promise<Started> {
  // Whatever the role: the same settings may serve several processes, and nothing is open yet.
  readRetention(options);
  return options.role === 'worker' ? startWorker(options) : startApi(options);
}
