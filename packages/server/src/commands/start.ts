import type { Command } from 'commander';
import type { Logger } from 'pino';
import { databaseOption } from '../config';
import { createLog } from '../log';
import type { Streams } from './output';
import { startMetrics } from './start-metrics';
import { type StartOptions, startOptions } from './start-options';
import { startRole } from './start-role';

const insecureWarning =
  'webhooks are INSECURE: plain http, private addresses and bad certificates are let through; never run production like this';

/** Milliseconds from the signal to the end of the process, whatever clients and receivers do. */
const stopDeadlineMs = 15_000;

function untilSignal(log: Logger): Promise<void> {
  return new Promise((stop) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        log.info({ signal }, 'stopping');
        stop();
      });
    }
  });
}

/** A stop takes 5 s, and 10 s when the database is locked. What takes longer, or keeps the process alive, is ended. */
function endInAnyCase(log: Logger): void {
  const end = () => {
    log.error('could not stop in time; ending');
    process.exit(1);
  };
  setTimeout(end, stopDeadlineMs).unref();
}

/** Keeps a failed write, such as to a pipe that its reader closed, from ending the process. */
function survivePrintErrors({ stdout, stderr }: Streams, log: Logger): void {
  stdout.on('error', (err) => log.warn({ err }, 'stdout could not be written'));
  // Nothing is printed there while the server runs, save by Node; and nowhere else is left to report it.
  stderr.on('error', () => {});
}

async function startRun(options: StartOptions, streams: Streams): Promise<void> {
  const log = createLog(options.logLevel);
  survivePrintErrors(streams, log);
  // Said whatever the level of the log.
  if (options.allowInsecureWebhooks) log.child({}, { level: 'warn' }).warn(insecureWarning);
  // From the first moment on: what is told below may be what a supervisor has waited for to stop it.
  const stopped = untilSignal(log);
  void stopped.then(() => endInAnyCase(log));
  const started = await startRole(options);
  const metrics = await startMetrics(options, started.metrics, log).catch(
    async (error: unknown) => {
      await started.stop();
      throw error;
    },
  );
  streams.stdout.write(`${started.told}\n`);
  if (metrics) streams.stdout.write(`metrics on ${metrics.url}\n`);

  // Neither a worker's timers nor a wait for a signal keep a process alive.
  const alive = setInterval(() => {}, 60_000);
  await stopped;
  await Promise.all([started.stop(), metrics?.stop()]);
  clearInterval(alive);
  log.info('stopped');
  // What nobody has read from stdout would keep the process alive.
  if (streams.stdout.writableLength > 0) process.exit();
}

/** `tradepost-server start`. */
export function addStartCommand(program: Command, streams: Streams): void {
  const start = program
    .command('start')
    .description('serve the API and make deliveries until SIGTERM or SIGINT')
    .addOption(databaseOption());
  for (const option of startOptions) start.addOption(option);
  start.action((options) => startRun(options, streams));
}
