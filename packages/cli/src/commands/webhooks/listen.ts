import { randomBytes } from 'node:crypto';
import { type EventKind, isTradepostError } from '@tradepost/sdk';
import type { Command } from 'commander';
import { finishingNote, graceAfter } from '../../bulk/grace';
import { CliError } from '../../cli-error';
import { connectAs } from '../../connect';
import { lockFile } from '../../files/lock-file';
import { followSteadily } from '../../follow-steadily';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { giveUpOption } from '../../input/give-up-option';
import { InvalidArgument } from '../../input/invalid-argument';
import { momentOption } from '../../input/moment';
import { countParser } from '../../input/parse-count';
import { accountOf } from '../../listen/account-of';
import { type ForwardedEvent, listen } from '../../listen/listen';
import { type Place, placeFile, type Route, readPlace, writePlace } from '../../listen/place';
import { statusLine } from '../../listen/status-line';
import { messageOf } from '../../message-of';
import { steadiness } from '../../outage';
import { chooseFormat } from '../../output/choose-format';
import type { View } from '../../output/column';
import { isReaderGone } from '../../output/is-reader-gone';
import { note, noteWithSecret } from '../../output/note';
import { writeData } from '../../output/write';
import { presentEnd } from '../../present-end';
import { stateFolder } from '../../settings/folders';
import { settingsOf, writtenAlike } from '../../settings/settings';
import type { OutputStream, Terminal } from '../../terminal';
import { forwardEvent } from '../../webhooks/forward-event';
import { readSecretFile } from '../../webhooks/read-secret-file';
import { signedBy } from '../../webhooks/signed-by';
import { eventsOption } from '../../webhooks/webhook-options';

interface Options extends GlobalOptions {
  forwardTo: string;
  since?: string;
  events?: EventKind[];
  secretFile?: string;
  stateFile?: string;
  maxAttempts: number;
  giveUpAfter: number;
}

/** How long each question for new events waits, in seconds: so fresh is the last contact. */
const waitSeconds = 10;

const forwardedView: View<ForwardedEvent> = {
  fields: ['at', 'id', 'event', 'status', 'attempts', 'durationMs'],
  columns: [
    { title: 'AT', field: 'at', text: ({ at }) => at },
    { title: 'EVENT', field: 'event', text: ({ event }) => event },
    { title: 'STATUS', field: 'status', text: ({ status }) => String(status), align: 'right' },
    { title: 'ATTEMPTS', field: 'attempts', text: (row) => String(row.attempts), align: 'right' },
    { title: 'MS', field: 'durationMs', text: (row) => String(row.durationMs), align: 'right' },
    { title: 'ID', field: 'id', text: ({ id }) => id, whenNarrow: 'leave-out' },
  ],
};

/** `tradepost webhooks listen --forward-to <url>`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addOption(
      command
        .createOption('--forward-to <url>', 'the receiver, such as http://127.0.0.1:3000/webhooks')
        .argParser(parseReceiver)
        .makeOptionMandatory(),
    )
    .addOption(
      momentOption(
        command,
        terminal,
        '--since <moment>',
        'begin anew, with the events since then: 2h, 2026-11-20, or ISO 8601',
      ),
    )
    .addOption(eventsOption(command, 'only events of these kinds'))
    .option('--secret-file <file>', 'sign with this secret; one of this run unless told')
    .option('--state-file <file>', 'keep the place here')
    .addOption(
      command
        .createOption('--max-attempts <n>', 'give up after so many attempts at one event')
        .argParser(countParser(1, 1_000))
        .default(6),
    )
    .addOption(giveUpOption(command))
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost webhooks listen --forward-to http://127.0.0.1:3000/webhooks',
          '$ tradepost webhooks listen --forward-to http://127.0.0.1:3000/webhooks --since 2h --events order.created --secret-file webhook.secret --output ndjson',
        ],
        Output: [
          `json, one object a line (ndjson): for each event that was taken, { ${forwardedView.fields.join(', ')} }`,
          'It has no end, so --output json is refused.',
        ],
        Notes: [
          'It asks the service for events and posts each to the receiver, signed as a real delivery is. No tunnel, no webhook is needed.',
          'Events go one at a time, in order; the next one after a 2xx. Nothing is left out.',
          'Run again without --since, it goes on where it stopped; with it, it begins anew.',
          'The first run without --since begins with what happens from then on.',
          'Each service, account, receiver and choice of --events has a place of its own.',
        ],
      }),
    )
    .action(() => run(command.optsWithGlobals<Options>(), terminal));
}

function parseReceiver(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new InvalidArgument('It must be an absolute http:// or https:// URL without a password.');
  }
  return url.href;
}

async function run(options: Options, terminal: Terminal): Promise<void> {
  if (options.output === 'json') {
    throw new CliError(
      'usage',
      'listening has no end, and one JSON document needs one',
      'Set --output ndjson, with --jq too.',
    );
  }
  const format = await chooseFormat(options, forwardedView, terminal.stdout);
  const secret = await chooseSecret(options);
  const settings = settingsOf(terminal, options);
  const client = connectAs(settings, terminal, options);
  const route: Route = {
    service: writtenAlike(settings.baseUrl),
    account: await accountOf(client, settings.apiKey, terminal),
    forwardTo: options.forwardTo,
    kinds: options.events?.toSorted() ?? null,
  };
  const again = `the same command${options.since === undefined ? '' : ' without --since'}`;
  const file = options.stateFile ?? placeFile(stateFolder(terminal.env), route);
  const unlock = lockFile(file);
  try {
    // Also when it is not needed: another file than one of ours is not written over.
    const found = readPlace(file, route);
    const kept = options.since === undefined ? found : null;
    const start = await chooseStart(kept, options, () => presentEnd(client, terminal));
    const keep = (place: Place) => writePlace(file, route, place);
    keep(start);
    tellBeginning(kept !== null, secret, options, terminal);

    const { signal, now, stdout } = terminal;
    const status = statusLine(options.events?.join(', ') ?? 'events', terminal);
    const following = {
      from: { ...start.from, waitSeconds },
      ...steadiness(options.giveUpAfter, status.say),
    };
    const grace = graceAfter(signal, () => status.say(finishingNote));
    try {
      await listen({
        start,
        pages: followSteadily(client, following, terminal),
        kinds: options.events,
        maxAttempts: options.maxAttempts,
        forward: (event) =>
          grace.during((signal) =>
            forwardEvent(event, { url: route.forwardTo, secret, now: now(), signal }),
          ),
        keep,
        tell: (event) =>
          status.aside(() => print(() => format.part([event]), event, { stdout, again })),
        status,
        now,
        wait: (milliseconds) => terminal.wait(milliseconds, signal),
        signal,
        again,
      });
    } catch (error) {
      if (isTradepostError(error) && error.code !== 'bad_cursor') {
        status.say(`The place is kept: ${again} goes on where it stopped.`);
      }
      throw error;
    } finally {
      grace.end();
      status.end();
    }
  } finally {
    unlock();
  }
  throw new CliError(
    'interrupted',
    'interrupted: the place is kept',
    `${again[0]?.toUpperCase()}${again.slice(1)} goes on where it stopped.`,
  );
}

/** @throws {CliError} `cannot_go_on` when nobody reads any more, and `output_failed`. */
async function print(
  text: () => string | Promise<string>,
  { id }: ForwardedEvent,
  { stdout, again }: { stdout: OutputStream; again: string },
): Promise<void> {
  try {
    await writeData(stdout, text());
  } catch (error) {
    throw new CliError(
      isReaderGone(error) ? 'cannot_go_on' : 'output_failed',
      `${id} was forwarded, but it could not be printed: ${messageOf(error)}`,
      `The place is kept: ${again} goes on with the next event.`,
    );
  }
}

/** @throws {CliError} `usage` for a secret that cannot sign, before anything is sent. */
async function chooseSecret({ secretFile }: Options): Promise<string> {
  if (secretFile === undefined) return `whsec_${randomBytes(32).toString('base64')}`;
  const secret = readSecretFile(secretFile);
  await signedBy({ body: '{}', secret });
  return secret;
}

async function chooseStart(
  kept: Place | null,
  { since }: Options,
  findEnd: () => Promise<Place['from']>,
): Promise<Place> {
  if (since !== undefined) return { from: { since }, done: null };
  return kept ?? { from: await findEnd(), done: null };
}

function tellBeginning(
  isContinued: boolean,
  secret: string,
  { since, forwardTo, secretFile }: Options,
  terminal: Terminal,
): void {
  const where =
    since !== undefined ? `from ${since} on` : isContinued ? 'where it stopped' : 'from now on';
  note(terminal, `Forwarding events to ${forwardTo}, ${where}. Ctrl-C ends it.`);
  if (secretFile === undefined) {
    noteWithSecret(
      terminal,
      `The secret of this run, for your receiver (--secret-file takes one that stays): ${secret}`,
    );
  }
}
