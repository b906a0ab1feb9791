import type { Command } from 'commander';
import { databaseOption, startOptions } from '../config';
import { createLog, type LogLevel } from '../log';
import { startServer } from '../server';
import { openSqliteStore } from '../stores/sqlite/sqlite-store';
import { insecureWebhookPolicy, strictWebhookPolicy } from '../webhooks/webhook-policy';
import { OperatorError } from './operator-error';
import type { Streams } from './output';

interface StartOptions {
  database: string;
  port: number;
  host: string;
  rateLimit: number;
  logLevel: LogLevel;
  allowInsecureWebhooks?: boolean;
}

const insecureWarning =
  'webhooks are INSECURE: plain http, private addresses and bad certificates are let through; never run production like this';

function explainListenError(error: unknown, { host, port }: StartOptions): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new OperatorError(
      `Port ${port} of ${host} is taken. Stop what listens there, or choose another --port; 0 takes a free one.`,
    );
  }
  if (code === 'EACCES') {
    return new OperatorError(`Port ${port} needs more rights. Choose a --port above 1023.`);
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new OperatorError(`${host} is no address of this machine. Choose another --host.`);
  }
  return error;
}

async function startRun(options: StartOptions, streams: Streams): Promise<void> {
  const log = createLog(options.logLevel);
  const store = openSqliteStore(options.database);
  // Said whatever the level of the log.
  if (options.allowInsecureWebhooks) log.child({}, { level: 'warn' }).warn(insecureWarning);
  const webhookPolicy = options.allowInsecureWebhooks ? insecureWebhookPolicy : strictWebhookPolicy;
  const { port, host, rateLimit } = options;
  const server = await startServer({ store, log, port, host, rateLimit, webhookPolicy }).catch(
    async (error: unknown) => {
      await store.close();
      throw explainListenError(error, options);
    },
  );
  streams.stdout.write(`listening on ${server.url}\n`);

  await new Promise<void>((stop) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        log.info({ signal }, 'stopping');
        stop();
      });
    }
  });
  await server.close();
  log.info('stopped');
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
