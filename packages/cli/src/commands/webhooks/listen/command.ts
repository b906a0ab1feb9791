import { type EventType, isTradepostError, type Tradepost } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createShutdownGrace, finishingNotice } from '../../../bulk/shutdown-grace';
import { createClientFor, createHttpFetch } from '../../../client/create-client';
import { createConnection, runUntilStopped } from '../../../client/follow';
import { stateFolder } from '../../../config/profiles';
import { normalizeUrl, resolveSettings } from '../../../config/settings';
import type { CliContext } from '../../../context';
import { CliError, getErrorMessage, Stopped } from '../../../errors/cli-error';
import { lockFile } from '../../../files/lock-file';
import { addHelp } from '../../../help/help';
import {
  eventsOption,
  type GlobalOptions,
  integerParser,
  reconnectTimeoutOption,
  timeNote,
  timeParser,
} from '../../../input/options';
import { chooseFormat, describeShape } from '../../../output/format';
import { isReaderGone, printNotice, writeData } from '../../../output/print';
import { chooseTimes } from '../../../output/times';
import type { Format, View } from '../../../output/view';
import { parseReceiver } from '../webhook-options';
import {
  type Checkpoint,
  checkpointPath,
  getEventAccount,
  type Route,
  readCheckpoint,
  writeCheckpoint,
} from './checkpoint';
import { type ForwardedEvent, forwardEvent, listen } from './forward';
import { deriveSecret, readGivenSecret, reportSecret } from './listen-secret';
import { createStatusLine } from './status-line';

interface Options extends GlobalOptions {
  forwardTo: string;
  secretFile?: string;
  since?: string;
  events?: EventType[];
  skipVerify?: true;
  stateFile?: string;
  maxAttempts: number;
  reconnectTimeout: number;
}

export const forwardedView: View<ForwardedEvent> = {
  fields: ['at', 'id', 'event', 'status', 'attempts', 'durationMs'],
  hasExactTimes: true,
  columns: [
    { title: 'AT', field: 'at' },
    // Rows arrive one by one: full width from the start keeps them aligned.
    { title: 'EVENT', field: 'event', minWidth: 24 },
    { title: 'STATUS', field: 'status', align: 'right' },
    { title: 'ATTEMPTS', field: 'attempts', align: 'right' },
    { title: 'MS', field: 'durationMs', align: 'right', minWidth: 5 },
    { title: 'ID', field: 'id', whenNarrow: 'leave-out' },
  ],
};

export function configure(command: Command, context: CliContext): void {
  command
    .requiredOption(
      '--forward-to <url>',
      'receiver, such as http://127.0.0.1:3000/webhooks',
      parseReceiver,
    )
    .option(
      '--since <time>',
      'ignore the checkpoint; start with events since <time>',
      timeParser(context),
    )
    .option(...eventsOption('only events of these types'))
    .option(
      '--secret-file <file>',
      'sign with this secret (default: one that follows from receiver and API key)',
    )
    .option('--skip-verify', "do not check the receiver's certificate")
    .option('--state-file <file>', 'file of the checkpoint')
    .option(
      '--max-attempts <n>',
      'stop after <n> failed attempts of an event',
      integerParser(1, 1_000),
      6,
    )
    .option(...reconnectTimeoutOption)
    .action(() => runUntilStopped(() => run(command.optsWithGlobals<Options>(), context), context));
  addHelp(command, {
    fields: forwardedView.fields,
    Examples: [
      '$ tradepost webhooks listen --forward-to http://127.0.0.1:3000/webhooks',
      '$ tradepost webhooks listen --forward-to http://127.0.0.1:3000/webhooks --since 2h --events order.created --secret-file webhook.secret --output ndjson',
    ],
    Output: [
      `json lines (ndjson): one per accepted event, ${describeShape(forwardedView)}`,
      '--output json is rejected, because the output has no end.',
    ],
    Notes: [
      'It polls the service for events and posts each to the receiver, signed like a real delivery. No tunnel and no webhook is needed.',
      'Events are sent in order, one at a time, each until the receiver returns 2xx. No event is skipped.',
      'The secret is printed at the start. It stays the same for each service, API key and receiver.',
      'The next run continues from the checkpoint. The first run starts with new events.',
      'Each service, account, receiver and choice of --events has its own checkpoint.',
      timeNote,
    ],
  });
}

async function run(options: Options, context: CliContext): Promise<void> {
  if (options.output === 'json') {
    throw new CliError(
      'usage',
      '--output json is not supported, because the output has no end',
      'Use --output ndjson, also with --jq.',
    );
  }
  const format = await chooseFormat(options, forwardedView, context);
  const given = await readGivenSecret(options.secretFile);
  const settings = resolveSettings(context, options);
  const client = createClientFor(settings, context, options);
  const connection = createConnection(client, options.reconnectTimeout, context);
  const receiver = {
    service: normalizeUrl(settings.baseUrl),
    account: await getEventAccount(client, settings.apiKey, { signal: context.signal }),
    forwardTo: options.forwardTo,
  };
  const route: Route = { ...receiver, kinds: options.events?.toSorted() ?? null };
  const file = options.stateFile ?? checkpointPath(stateFolder(context.env), route);
  const unlock = lockFile(file);
  try {
    // Also with --since: a file that is not a checkpoint is not overwritten.
    const found = readCheckpoint(file, route);
    const saved = options.since === undefined ? found : null;
    const start = saved ?? { from: await chooseStart(client, options, context), done: null };
    const save = (checkpoint: Checkpoint) => writeCheckpoint(file, route, checkpoint);
    const secret = given ?? deriveSecret(settings.apiKey, receiver);
    save(start);
    reportStart(saved !== null, options, context);
    reportSecret(secret, options.secretFile, context);

    const { signal, now } = context;
    const status = createStatusLine(options.events?.join(', ') ?? 'events', connection, context);
    status.draw();
    const send = createHttpFetch({ rejectUnauthorized: !options.skipVerify });
    const grace = createShutdownGrace(context, () => status.say(finishingNotice));
    try {
      await listen({
        start,
        pages: connection.pages(start.from, status.draw),
        eventTypes: options.events,
        maxAttempts: options.maxAttempts,
        forward: (event) =>
          grace.during((signal) =>
            forwardEvent(event, { url: route.forwardTo, secret, now: now(), signal, send }),
          ),
        save,
        report: (event) => status.aside(() => printEvent(event, format, options, context)),
        status,
        now,
        wait: (milliseconds) => context.wait(milliseconds, signal),
        signal,
      });
    } catch (error) {
      // From there it would fail again.
      if (isTradepostError(error) && !/^(invalid_cursor|cursor_expired)$/.test(error.code)) {
        status.say(getContinueHint(options));
      }
      throw error;
    } finally {
      grace.end();
      status.end();
    }
  } finally {
    unlock();
  }
  throw new Stopped(`Stopped. ${getContinueHint(options)}`);
}

/** With --since it would start again. */
function getContinueHint({ since }: Options): string {
  return `Run it again${since === undefined ? '' : ' without --since'} to continue.`;
}

/** @throws {CliError} `forwarding_failed` if the reader closed the pipe, else `output_failed` */
async function printEvent(
  event: ForwardedEvent,
  format: Format<ForwardedEvent>,
  options: Options,
  { stdout }: CliContext,
): Promise<void> {
  try {
    await writeData(stdout, await format.formatItems([event]));
  } catch (error) {
    throw new CliError(
      isReaderGone(error) ? 'forwarding_failed' : 'output_failed',
      `${event.id} was forwarded, but could not be printed: ${getErrorMessage(error)}`,
      getContinueHint(options),
    );
  }
}

async function chooseStart(
  { events }: Pick<Tradepost, 'events'>,
  { since }: Options,
  { signal }: CliContext,
): Promise<Checkpoint['from']> {
  if (since !== undefined) return { since };
  const { nextCursor } = await events.list({ after: 'now' }, { signal });
  return { after: nextCursor };
}

function reportStart(isContinued: boolean, options: Options, context: CliContext): void {
  const { since, forwardTo } = options;
  const where =
    since !== undefined
      ? `from ${chooseTimes(options, context)?.alone(since) ?? since}`
      : isContinued
        ? 'from the checkpoint'
        : 'starting with new events';
  printNotice(context, `Forwarding events to ${forwardTo}, ${where}. Press Ctrl-C to stop.`);
}
