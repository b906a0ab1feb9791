import { styleText } from 'node:util';
import type { Command, HelpConfiguration } from 'commander';

/** Formats a heading of the help: `EXAMPLES`. Commander removes styles where the stream shows none. */
function formatTitle(text: string): string {
  return styleText('bold', text.toUpperCase(), { validateStream: false });
}

export const helpConfiguration: HelpConfiguration = {
  styleTitle: formatTitle,
  // A list of commands shows names only: their arguments are in their own help.
  subcommandTerm: (command) => command.name(),
};

const globalOptionsPointer = '\nGlobal options: see `tradepost --help`.';

interface HelpSections {
  /** What `--fields` selects among, for shell completion. */
  fields?: readonly string[];
  Examples?: readonly string[];
  Output?: readonly string[];
  Notes?: readonly string[];
}

/** Ends the help of a command with a pointer to the global options, and with sections. */
export function addHelp(command: Command, help: HelpSections = {}): Command {
  helpOfCommands.set(command, help);
  const { fields, ...sections } = help;
  return command.addHelpText('after', () =>
    [globalOptionsPointer, formatSections(sections)].filter(Boolean).join('\n'),
  );
}

const helpOfCommands = new WeakMap<Command, HelpSections>();

/** Returns what `addHelp` got for a command that is loaded. */
export function getHelp(command: Command): HelpSections {
  return helpOfCommands.get(command) ?? {};
}

/** The width of a help page without a terminal, as in Commander. */
const width = 80;
const indent = '  ';

/** Formats sections. Long lines are wrapped, except for examples and tables. */
function formatSections(sections: Record<string, readonly string[]>): string {
  return Object.entries(sections)
    .flatMap(([title, lines]) => ['', formatTitle(`${title}:`), ...lines.map(wrap)])
    .join('\n');
}

const words = /(?:`[^`]*`|\S)+/g;

function wrap(text: string): string {
  if (text.startsWith('$ ') || text.includes('  ')) return `${indent}${text}`;
  const lines: string[] = [];
  let line = '';
  for (const word of text.match(words) ?? []) {
    const longer = line === '' ? `${indent}${word}` : `${line} ${word}`;
    if (longer.length > width && line !== '') {
      lines.push(line);
      line = `${indent}${indent}${word}`;
    } else line = longer;
  }
  return [...lines, line].join('\n');
}

/** The environment variables, and what each is for. */
export const environment: Readonly<Record<string, string>> = {
  TRADEPOST_API_KEY: 'API key of your account (there is no option for it)',
  TRADEPOST_BASE_URL: 'service URL, such as https://trade.example',
  TRADEPOST_PROFILE: 'profile to use in place of the current one',
  TRADEPOST_CONFIG_DIR: 'folder of the profiles',
  TRADEPOST_STATE_DIR: 'folder of journals and checkpoints',
  NO_COLOR: 'disable colours',
  FORCE_COLOR: 'enable colours on a pipe too',
};

export function environmentLines(): string[] {
  const width = Math.max(...Object.keys(environment).map((name) => name.length));
  return Object.entries(environment).map(([name, text]) => `${name.padEnd(width)}  ${text}`);
}

export const rootExamples: readonly string[] = [
  '$ tradepost orders list --status pending',
  '$ tradepost orders set-status ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH confirmed',
  '$ tradepost orders list --all --output csv > orders.csv',
  "$ tradepost orders list --since 2d --jq '.[].id'",
  '$ tradepost webhooks listen --forward-to http://127.0.0.1:3000/webhooks',
];

export function rootSections(): string {
  return formatSections({
    Examples: rootExamples,
    Environment: environmentLines(),
    'More help': [
      'tradepost help exit-codes    exit codes',
      'tradepost help environment   environment variables and profiles',
      'tradepost help output        output formats and fields, for scripts',
      'tradepost COMMAND --help     options, examples and JSON of a command',
    ],
  });
}
