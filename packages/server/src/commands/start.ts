import { constants } from 'node:os';
import type { Command } from 'commander';
import type { Logger } from 'pino';
import { createLog } from '../kernel/log';
import type { MetricsServer } from '../metrics/metrics-server';
import { hasProvider } from '../tracing/load-tracer';
import { readTracingConfig, startTracing, type TracingConfig } from '../tracing/start-tracing';
import { explainListenError, OperatorError } from './operator-error';
import { databaseOption } from './options';
import type { Streams } from './output';
import { isReadableByOthers, readSecretKeys } from './secret-keys';
import {
  requireDatabaseOptions,
  requireDistinctPorts,
  type StartOptions,
  startOptions,
} from './start-options';
import type { StartedProcess } from './start-process';

const insecureWarning =
  'webhooks are INSECURE: plain HTTP, private addresses and invalid certificates are allowed; never run production like this';

const plainTextWarning =
  'endpoint secrets are stored in plain text: everyone who can read the database file or a backup of it can forge deliveries; create a key with `tradepost-server secrets generate-key` and pass it with --secret-key-file';

/** Milliseconds from the signal until the process is ended in any case. */
const stopDeadlineMs = 28_000;

/** How long the same signal is ignored, in milliseconds: npm passes on what the terminal has sent to both already. */
const echoMs = 250;

const stopSignals = ['SIGTERM', 'SIGINT'] as const;

/**
 * Resolves at the first signal to stop. A second one ends the process at once.
 *
 * @param hangupStops Whether SIGHUP stops the process, as when its terminal is closed. It never ends one that is stopping.
 */
function untilSignal(log: Logger, { hangupStops }: { hangupStops: boolean }): Promise<void> {
  return new Promise((resolve) => {
    let first: { signal: NodeJS.Signals; at: number } | undefined;
    const receive = (signal: NodeJS.Signals) => {
      const at = performance.now();
      if (first === undefined) {
        first = { signal, at };
        log.info({ signal }, 'the server is stopping');
        resolve();
      } else if (signal !== first.signal || at - first.at > echoMs) {
        log.warn({ signal }, 'second signal; exiting at once');
        process.exit(128 + constants.signals[signal]);
      }
    };
    for (const signal of stopSignals) process.on(signal, receive);
    process.on('SIGHUP', (signal) => {
      if (hangupStops && first === undefined) receive(signal);
    });
  });
}

/** A shutdown takes up to 20 s, or 25 s with a locked database. If it takes longer, the process is ended. */
function forceExitAfterDeadline(log: Logger, delayMs: number): void {
  const end = () => {
    log.error('the shutdown timed out; exiting');
    process.exit(1);
  };
  setTimeout(end, delayMs + stopDeadlineMs).unref();
}

/** Keeps a failed write, for example to a closed pipe, from ending the process. */
function ignoreOutputErrors({ stdout, stderr }: Streams, log: Logger): void {
  stdout.on('error', (err) => log.warn({ err }, 'writing to stdout failed'));
  // Only Node writes to stderr while the server runs, and there is no other place to report the error.
  stderr.on('error', () => {});
}

async function startRun(options: StartOptions, streams: Streams): Promise<void> {
  requireDistinctPorts(options);
  requireDatabaseOptions(options);
  const secretKeys = readSecretKeys(options);
  const tracingConfig = readTracing();
  const log = createLog(options.logLevel);
  ignoreOutputErrors(streams, log);
  // Logged at every level.
  if (options.allowInsecureWebhooks) log.child({}, { level: 'warn' }).warn(insecureWarning);
  if (secretKeys.length === 0 && options.database !== ':memory:') log.warn(plainTextWarning);
  if (options.secretKeyFile !== undefined && isReadableByOthers(options.secretKeyFile)) {
    log.warn('the secret key file can be read by other users of this machine; chmod 600');
  }
  // Before anything is printed: a supervisor may send the signal as soon as it reads the output.
  // With a certificate, SIGHUP reloads it. Other roles may have the same configuration, and the same supervisor.
  const hangupStops = options.tlsCert === undefined;
  const stopped = untilSignal(log, { hangupStops });
  void stopped.then(() => forceExitAfterDeadline(log, options.shutdownDelay * 1_000));
  // Loaded here, because the other commands need neither the HTTP server nor the engine.
  const { startProcess } = await import('./start-process');
  const tracing = tracingConfig && (await startTracing(tracingConfig, log));
  const started = await startProcess({
    ...options,
    secretKeys,
    ...(tracing && tracingConfig && { tracing: tracingConfig }),
  });
  const metrics = await startMetrics(options, started, log).catch(async (error: unknown) => {
    await started.stop();
    throw error;
  });
  streams.stdout.write(`${started.messages}\n`);
  if (metrics) streams.stdout.write(`metrics on ${metrics.url}\n`);

  // Neither the timers of a worker nor the wait for a signal keep a process alive.
  const alive = setInterval(() => {}, 60_000);
  await stopped;
  await started.stop();
  // To the end, so that a supervisor sees that the process is stopping.
  await metrics?.stop();
  await tracing?.stop();
  clearInterval(alive);
  log.info('the server stopped');
  // Unread output would keep the process alive, and a collector that has not responded.
  if (streams.stdout.writableLength > 0 || tracing) process.exit();
}

/** Returns how to export traces; null if not, or if the operator has registered a provider (`node --import`), which does it. */
function readTracing(): TracingConfig | null {
  if (hasProvider()) return null;
  try {
    return readTracingConfig(process.env);
  } catch (error) {
    throw error instanceof RangeError ? new OperatorError(error.message) : error;
  }
}

/** `tradepost-server start`. */
export function addStartCommand(program: Command, streams: Streams): void {
  const start = program
    .command('start')
    .description('serve the API and make deliveries until SIGTERM or SIGINT')
    .addOption(databaseOption());
  for (const option of startOptions) start.addOption(option);
  start.addHelpText(
    'after',
    '\nTraces are exported by OpenTelemetry if OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_TRACES_EXPORTER=otlp is set.',
  );
  start.action((options) => startRun(options, streams));
}

/** Serves the metrics of this process if a port is set. */
export async function startMetrics(
  { metricsPort: port, metricsHost: host }: StartOptions,
  { metrics, health }: Pick<StartedProcess, 'metrics' | 'health'>,
  log: Logger,
): Promise<MetricsServer | undefined> {
  if (port === undefined) return undefined;
  const { serveMetrics } = await import('../metrics/metrics-server');
  const { createProcessMetrics, createHealthMetrics } = await import('../metrics/api-metrics');
  const all = [...metrics, createProcessMetrics(), createHealthMetrics(health)];
  return serveMetrics({ port, host, metrics: all, health, log }).catch((error: unknown) => {
    throw explainListenError(error, { port, host }, '--metrics-');
  });
}
