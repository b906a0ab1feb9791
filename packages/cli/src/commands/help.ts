import type { Command } from 'commander';
import type { CliContext } from '../context';
import { CliError, localHint } from '../errors/cli-error';
import { exitCodes } from '../errors/exit-codes';
import { addHelp, environmentLines, formatHelpLine } from '../help/help';
import { type GlobalOptions, withValues } from '../input/options';
import { printPage } from '../output/print';
import { getTerminalWidth, wrap } from '../output/text';
import { eventView } from './events/event-view';
import { notificationView } from './notifications/notification-view';
import { orderView } from './orders/order-view';
import { statusOutcomeView } from './orders/set-status/outcome-view';
import { orderChangeView } from './orders/watch/change-view';
import { deliveryView } from './webhooks/delivery-view';
import { webhookView } from './webhooks/webhook-view';

/** The lines of each topic, for a width. Without a terminal they are not wrapped. */
const topics: ReadonlyMap<string, (width: number) => string[]> = new Map([
  ['exit-codes', formatExitCodes],
  ['environment', formatEnvironment],
  ['output', formatOutput],
]);

const topicNames = [...topics.keys()];
const topicList = topicNames.join(', ');

export function configure(command: Command, context: CliContext): void {
  const parse = withValues(
    (text: string, before: string[] = []) => [...before, text],
    () => topicNames,
  );
  command
    .argument('[topic...]', `a command, or a topic: ${topicList}`, parse)
    .action((path: string[] = []) =>
      showHelp(command, path, command.optsWithGlobals<GlobalOptions>(), context),
    );
  addHelp(command, {
    Examples: [
      '$ tradepost help orders set-status',
      '$ tradepost help exit-codes',
      '$ tradepost help output',
    ],
  });
}

async function showHelp(
  command: Command,
  path: string[],
  options: GlobalOptions,
  context: CliContext,
): Promise<void> {
  const program = command.parent ?? command;
  const topic = path.length === 1 ? topics.get(path[0] ?? '') : undefined;
  if (topic) {
    const lines = topic(getTerminalWidth(context.stdout));
    return await printPage(`${lines.join('\n')}\n`, context, options);
  }
  let found: Command | undefined = program;
  for (const name of path) found = found?.commands.find((child) => child.name() === name);
  if (!found) {
    throw new CliError(
      'usage',
      `No help for '${path.join(' ')}'`,
      localHint('To list the commands, run', '--help'),
      `Other topics: ${topicList}.`,
    );
  }
  // Parsed as `COMMAND --help`, which loads the command with its options.
  const flags = options.pager === false ? ['--help', '--no-pager'] : ['--help'];
  await program.parseAsync([...path, ...flags], { from: 'user' });
}

function formatExitCodes(width: number): string[] {
  const rows = Object.values(exitCodes).map(
    ({ code, meaning }) => `${String(code).padStart(3)}  ${meaning}`,
  );
  return ['Exit codes of tradepost:', '', ...rows.flatMap((row) => formatHelpLine(row, width))];
}

export const precedence =
  'Options take precedence over the environment, and the environment over profiles, except for a profile that --profile names. The key of a profile is sent to its own service only, whatever --base-url says.';

function formatEnvironment(width: number): string[] {
  return [
    'Environment variables of tradepost:',
    '',
    ...environmentLines().flatMap((line) => formatHelpLine(line, width)),
    '',
    ...wrap(precedence, width),
  ];
}

const outputOptions = [
  '--output table   for people, the default; fits the terminal, a pipe gets everything',
  '--output json    one document: an array for a list, an object for a single item',
  '--output ndjson  one object per line, as they arrive',
  "--output csv     with a heading; a text that a spreadsheet would run as a formula begins with '",
  '--excel          csv that Excel opens as it is: byte order mark, separator of the locale (LC_ALL, LC_NUMERIC, LANG), local times',
  '--separator C    of csv: a comma, a semicolon or tab',
  '--fields a,b     only these fields, in this order, in every format',
  '--time STYLE     of times on a terminal: relative, local or iso; by default lists have relative times, single items local ones',
  '--utc            local times in UTC',
  '--no-pager       on a terminal: do not show lists and long help pages in a pager',
  '--jq EXPRESSION  the result of a jq 1.8 expression (built in): of json on the whole document, of ndjson on each object; strings are printed without quotes',
];

export function formatOutput(width: number): string[] {
  const views = {
    order: orderView,
    notification: notificationView,
    webhook: webhookView,
    delivery: deliveryView,
    event: eventView,
    'orders set-status': statusOutcomeView,
    'orders watch': orderChangeView,
  };
  const nameWidth = Math.max(...Object.keys(views).map((name) => name.length));
  const rows = Object.entries(views).map(
    ([name, { fields }]) => `${name.padEnd(nameWidth)}  ${fields.join(' ')}`,
  );
  const formatLine = (line: string) => formatHelpLine(line, width);
  const formatText = (text: string) => ['', ...wrap(text, width), ''];
  return [
    ...formatText(
      'Stdout is for data only. Notices, prompts, progress and errors go to stderr.',
    ).slice(1),
    ...outputOptions.flatMap(formatLine),
    ...formatText('-o is short for --output, -q for --jq, and --json for --output json.').slice(
      0,
      -1,
    ),
    ...formatText(
      'Without a terminal, and in json, ndjson and csv, times are ISO 8601, UTC. A notice on stderr says when a list is truncated; --fail-if-truncated makes that exit code 8. With json and ndjson an error is one line of JSON on stderr (with --jq alone, text on a terminal):',
    ),
    ...formatLine(
      '{ "error": { "code", "message", "status", "requestId", "hint", "errors": [{ "path", "message" }] } }',
    ),
    ...formatText('Fields of the JSON, as the service sends them. --fields selects among these:'),
    ...rows.flatMap(formatLine),
  ];
}
