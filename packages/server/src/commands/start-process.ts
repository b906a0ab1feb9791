import { setTimeout } from 'node:timers/promises';
import { attemptTimeoutMs } from '@tradepost/domain/deliveries/delivery';
import { systemClock } from '@tradepost/domain/kernel/context';
import {
  insecureWebhookPolicy,
  strictWebhookPolicy,
  type WebhookPolicy,
} from '@tradepost/domain/webhooks/webhook-policy';
import type { Logger } from 'pino';
import { Health } from '../http/health';
import { createLog } from '../kernel/log';
import { version } from '../kernel/version';
import { loadMetrics } from '../metrics/load-metrics';
import type { Metrics } from '../metrics/metrics-server';
import { type Api, shutdownTimeoutMs, startApi } from '../runtime/api';
import type { Engine } from '../runtime/engine';
import type { EngineConfig } from '../runtime/engine-config';
import { startEngineThread } from '../runtime/engine-thread';
import {
  allocateDescriptors,
  readDescriptorLimit,
  reservedDescriptors,
  type SocketBudget,
} from '../runtime/socket-budget';
import { describeDatabase, isPostgresUrl } from '../stores/database-url';
import type { SecretKey } from '../stores/encryption';
import { openStore, type StoreOptions } from '../stores/open-store';
import { readFileId } from '../stores/sqlite/database';
import { createPriorityMemory } from '../stores/sqlite/group-commit';
import type { Store } from '../stores/store';
import { loadTracer } from '../tracing/load-tracer';
import type { TracingConfig } from '../tracing/start-tracing';
import { explainListenError, OperatorError } from './operator-error';
import { readRetention, type StartOptions } from './start-options';
import type { LoadedTls } from './tls-files';

/** The options of a process, with the keys that encrypt endpoint secrets. */
export interface ProcessOptions extends StartOptions {
  /** The newest first; none to store new secrets in plain text. */
  secretKeys: readonly SecretKey[];
  /** How the engine's thread exports traces; by default it does not. */
  tracing?: TracingConfig | undefined;
}

/** A started process and how to stop it. */
export interface StartedProcess {
  /** Printed on stdout. */
  messages: string;
  health: Health;
  /** Its metrics; empty unless metrics are served. */
  metrics: Metrics[];
  stop(): Promise<void>;
}

const pagesPerMb = 256;
/** How long a process waits for attempts when it stops, in milliseconds: longer than any attempt takes. */
const attemptsShutdownMs = attemptTimeoutMs + 5_000;
/** Polling takes microseconds, and a standalone worker learns of deliveries in no other way. */
const workerPollMs = 100;

function getStoreOptions(options: ProcessOptions): StoreOptions {
  const { role, maxDatabaseMb, databaseConnections, migrate, secretKeys } = options;
  return {
    secretKeys,
    sessionRole: role,
    mayMigrate: migrate,
    mustExist: !migrate,
    ...(databaseConnections !== undefined && { maxConnections: databaseConnections }),
    maxOpenDeliveries: options.maxOpenDeliveries,
    ...(maxDatabaseMb !== undefined && { maxPages: maxDatabaseMb * pagesPerMb }),
  };
}

function getWebhookPolicy({ allowInsecureWebhooks }: StartOptions): WebhookPolicy {
  return allowInsecureWebhooks ? insecureWebhookPolicy : strictWebhookPolicy;
}

function isMeasured({ metricsPort }: StartOptions): boolean {
  return metricsPort !== undefined;
}

/** Whether deliveries have their own thread, which needs a store that another thread can open. */
function hasEngineThread({ role, database }: StartOptions): boolean {
  return role === 'all' && database !== ':memory:';
}

function createHealth(store: Store, { maxDueSeconds }: StartOptions): Health {
  return new Health({ store, maxDueSeconds, ...(store.clock && { clock: store.clock }) });
}

function getEngineConfig(options: ProcessOptions): EngineConfig {
  return {
    database: options.database,
    storeOptions: getStoreOptions(options),
    logLevel: options.logLevel,
    insecureWebhooks: options.allowInsecureWebhooks ?? false,
    retention: readRetention(options),
    disableAfterDays: options.disableAfter,
    sockets: getSocketBudget(options),
    metrics: isMeasured(options),
    tracing: options.tracing,
  };
}

/** Starts the delivery engine of a process that also serves the API. */
async function startEngineForRole(
  store: Store,
  log: Logger,
  options: ProcessOptions,
  priorityMemory: SharedArrayBuffer,
): Promise<Engine> {
  const config = getEngineConfig(options);
  if (!hasEngineThread(options)) {
    const metrics = config.metrics
      ? (await loadMetrics()).createEngineMetrics(store.deliveries, systemClock)
      : undefined;
    const { retention, disableAfterDays, sockets } = config;
    const webhookPolicy = getWebhookPolicy(options);
    const tracer = await loadTracer();
    const { startEngine } = await import('../runtime/engine');
    return startEngine({
      store,
      log,
      webhookPolicy,
      retention,
      disableAfterDays,
      sockets,
      metrics,
      tracer,
    });
  }
  if (!isPostgresUrl(options.database)) {
    // Clients wait for writes of the API, but nothing waits for the record of a delivery.
    config.storeOptions.priority = { memory: priorityMemory, yields: true };
    // A thread that is restarted later must not create a file, or open another one.
    config.storeOptions.expectedFile = readFileId(options.database) ?? '';
  }
  const thread = startEngineThread(config, log);
  store.onDeliveriesQueued(() => thread.wake());
  return thread;
}

function getMetrics(engine: Engine): Metrics {
  return { read: () => engine.readMetrics() };
}

/**
 * Returns the metrics of what runs, and of the connections that an engine uses, and the API beside it; none of these with a file. They come
 * before all others, whose own queries they would count.
 */
async function getStoreMetrics(
  store: Store,
  engine: Engine | undefined,
  options: ProcessOptions,
): Promise<Metrics[]> {
  if (!isMeasured(options)) return [];
  const { createBuildMetrics, createDatabaseMetrics } = await loadMetrics();
  const build = createBuildMetrics({ version, schemaVersion: store.schemaVersion });
  if (store.getConnectionStatus === undefined) return [build];
  const api = async () => store.getConnectionStatus?.() ?? null;
  return [
    build,
    createDatabaseMetrics({
      ...(options.role !== 'worker' && { api }),
      ...(engine && { engine: engine.readConnectionStatus }),
    }),
  ];
}

async function startWorker(options: ProcessOptions): Promise<StartedProcess> {
  // Loaded only where it runs: a server whose engine has its own thread starts faster without it.
  const { createEngine } = await import('../runtime/engine-config');
  const engine = await createEngine({ ...getEngineConfig(options), pollIntervalMs: workerPollMs });
  const health = createHealth(engine.store, options);
  health.addEngine(engine);
  return {
    messages: `delivering from ${describeDatabase(options.database)}`,
    health,
    metrics: [...(await getStoreMetrics(engine.store, engine, options)), getMetrics(engine)],
    stop() {
      health.stop();
      return engine.stop(attemptsShutdownMs);
    },
  };
}

/** Reads the certificate of the API; null for plain HTTP. Loaded only with TLS, so that other servers start faster. */
async function readTls(options: ProcessOptions, log: Logger): Promise<LoadedTls | null> {
  if (options.tlsCert === undefined && options.tlsKey === undefined) return null;
  const { readTlsFiles, warnOfDates } = await import('./tls-files');
  const tls = readTlsFiles(options);
  if (tls !== null) warnOfDates(tls, systemClock.now(), log);
  return tls;
}

/** Uses a renewed certificate within a minute, or at SIGHUP. */
async function followTls(
  options: ProcessOptions,
  current: LoadedTls,
  api: Api,
  log: Logger,
): Promise<{ getValidTo(): number; stop(): void }> {
  const { TlsFollower } = await import('./tls-files');
  const follower = new TlsFollower({
    files: options,
    current,
    clock: systemClock,
    log,
    onRenewed: (tls) => api.setTls(tls),
  });
  const reload = () => follower.reload();
  process.on('SIGHUP', reload);
  return {
    getValidTo: () => follower.current.validTo,
    stop() {
      process.off('SIGHUP', reload);
      follower.stop();
    },
  };
}

/** Logs a warning if secrets are still stored in plain text although there is a key. */
async function warnOfPlainText(
  store: Store,
  { secretKeys }: ProcessOptions,
  log: Logger,
): Promise<void> {
  if (!secretKeys?.length || !(await store.secrets.listKeyIds()).includes(null)) return;
  log.warn(
    'some endpoint secrets are still stored in plain text; run tradepost-server secrets rotate',
  );
}

async function startApiRole(options: ProcessOptions): Promise<StartedProcess> {
  const log = createLog(options.logLevel);
  const tls = await readTls(options, log);
  const maxConnections = getMaxConnections(options);
  const priorityMemory = createPriorityMemory();
  const store = await openStore(options.database, {
    ...getStoreOptions(options),
    log,
    ...(hasEngineThread(options) && { priority: { memory: priorityMemory, yields: false } }),
  });
  await warnOfPlainText(store, options, log);
  const health = createHealth(store, options);
  const metrics: Metrics[] = [];
  const loaded = isMeasured(options) ? await loadMetrics() : undefined;
  const apiMetrics = loaded?.createApiMetrics();
  if (apiMetrics) metrics.push(apiMetrics);
  const { clock = systemClock } = store;
  const api = await startApi({
    store,
    clock,
    log,
    port: options.port,
    host: options.host,
    tls: tls ?? undefined,
    rateLimit: options.rateLimit,
    accountRateLimit: options.accountRateLimit,
    logsPerSecond: options.logRequests,
    maxConnections,
    keepAliveSeconds: options.keepAlive,
    webhookPolicy: getWebhookPolicy(options),
    docs: options.docs,
    console: options.console,
    corsOrigins: options.corsOrigin,
    trustProxy: options.trustProxy,
    health,
    onRequestCompleted: apiMetrics?.onRequestCompleted,
  }).catch(async (error: unknown) => {
    await store.close();
    throw explainListenError(error, options);
  });
  apiMetrics?.addLoad(api.load);
  const certificate = tls === null ? null : await followTls(options, tls, api, log);
  if (certificate && loaded) metrics.push(loaded.createTlsMetrics(certificate.getValidTo));

  const engine =
    options.role === 'all'
      ? await startEngineForRole(store, log, options, priorityMemory)
      : undefined;
  if (engine) health.addEngine(engine);
  if (engine) metrics.push(getMetrics(engine));
  else if (loaded) metrics.push(loaded.createQueueMetrics(store.deliveries, clock));
  metrics.unshift(...(await getStoreMetrics(store, engine, options)));
  return {
    messages: `listening on ${api.url}`,
    health,
    metrics,
    async stop() {
      health.stop();
      // The engine stops meanwhile: other processes make the deliveries that are left.
      const stopped = engine?.stop(attemptsShutdownMs);
      await setTimeout(options.shutdownDelay * 1_000);
      certificate?.stop();
      await Promise.all([api.stop(shutdownTimeoutMs), stopped]);
      await store.close();
    },
  };
}

/**
 * Starts what a process with this role runs.
 *
 * @throws OperatorError if it cannot be started with these options.
 */
export async function startProcess(options: ProcessOptions): Promise<StartedProcess> {
  // Validated for every role: several processes may share their configuration, and nothing is open yet.
  readRetention(options);
  return options.role === 'worker' ? startWorker(options) : startApiRole(options);
}

/** Returns how many sockets the parts of a process with this role may have open. */
export function getSocketBudget({ role }: StartOptions): SocketBudget {
  const serves = { api: role !== 'worker', deliveries: role !== 'api' };
  return allocateDescriptors(readDescriptorLimit(), serves);
}

/**
 * Returns how many API connections may be open at once: the option, or as many as there are file descriptors for.
 *
 * @throws OperatorError if that leaves too few for deliveries and the database.
 */
export function getMaxConnections(options: StartOptions): number {
  const budget = getSocketBudget(options);
  const { maxConnections = budget.connections } = options;
  const limit = readDescriptorLimit();
  const others = reservedDescriptors(budget);
  if (limit === null || maxConnections <= Math.max(budget.connections, limit - others)) {
    return maxConnections;
  }
  throw new OperatorError(
    `--max-connections ${maxConnections} is too high: this process may open ${limit} files, and deliveries and the database need ${others} of them. Raise the limit (ulimit -n), or allow at most ${budget.connections} connections.`,
  );
}
