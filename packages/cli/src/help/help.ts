import { styleText } from 'node:util';
import type { AddHelpTextContext, Command, Help, HelpConfiguration } from 'commander';
import { setFields } from '../input/options';
import { minColumnWidth, wrap, wrapCommand, wrapEntry } from '../output/text';

/** Formats a heading of the help: `EXAMPLES`. Commander removes styles where the stream shows none. */
function formatTitle(text: string): string {
  return styleText('bold', text.toUpperCase(), { validateStream: false });
}

const indent = 2;

/** Descriptions are all beside their terms, or below them where the column would be narrow. */
const entryLayout = { indent, below: 3 * indent, least: minColumnWidth };

const usageLabel = 'Usage: ';

export const helpConfiguration: HelpConfiguration & ThisType<Help> = {
  styleTitle: formatTitle,
  // Several forms of a command are on lines of their own.
  styleUsage(usage) {
    const options = { indent: usageLabel.length, hanging: usageLabel.length + indent };
    return usage
      .split('\n')
      .flatMap((line) => wrap(line.trim(), this.helpWidth ?? Number.POSITIVE_INFINITY, options))
      .join('\n')
      .slice(usageLabel.length);
  },
  boxWrap: (text, width) => wrap(text, width).join('\n'),
  formatItem(term, termWidth, description) {
    if (description === '') return ' '.repeat(indent) + term;
    const width = this.helpWidth ?? Number.POSITIVE_INFINITY;
    return wrapEntry(term.padEnd(termWidth), description, width, entryLayout).join('\n');
  },
  // A list of commands shows names only: their arguments are in their own help.
  subcommandTerm: (command) => command.name(),
};

const globalOptionsPointer = '\nGlobal options: see `tradepost --help`.';

/** Returns the width that Commander uses for the rest of a page. */
function getPageWidth({ command, error }: AddHelpTextContext): number {
  const { getErrHelpWidth, getOutHelpWidth } = command.configureOutput();
  return (error ? getErrHelpWidth : getOutHelpWidth)?.() ?? Number.POSITIVE_INFINITY;
}

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
  const { fields = [], ...sections } = help;
  setFields(command, fields);
  return command.addHelpText('after', (page) => {
    const parts = [globalOptionsPointer, formatSections(sections, getPageWidth(page))];
    return parts.filter(Boolean).join('\n');
  });
}

const helpOfCommands = new WeakMap<Command, HelpSections>();

/** Returns what `addHelp` got for a command that is loaded. */
export function getHelp(command: Command): HelpSections {
  return helpOfCommands.get(command) ?? {};
}

/** Formats sections. Commands to copy are broken between words only, and tables keep their columns. */
function formatSections(sections: Record<string, readonly string[]>, width: number): string {
  return Object.entries(sections)
    .flatMap(([title, lines]) => [
      '',
      formatTitle(`${title}:`),
      ...lines.flatMap((line) => formatHelpLine(line, width)),
    ])
    .join('\n');
}

/** Formats a line of a help page: a command to copy, a row `term  description`, or a sentence. */
export function formatHelpLine(line: string, width: number): string[] {
  if (line.startsWith('$ ')) return wrapCommand(line, width, indent);
  const [, term, description] = /^(.*?\S {2,})(\S.*)$/.exec(line) ?? [];
  if (term === undefined || description === undefined) {
    return wrap(line, width, { indent, hanging: 2 * indent });
  }
  return wrapEntry(term.slice(0, -2), description, width, entryLayout);
}

/** The environment variables, and what each is for. */
export const environment: Readonly<Record<string, string>> = {
  TRADEPOST_API_KEY: 'API key of your account (there is no option for it)',
  TRADEPOST_BASE_URL: 'service URL, such as https://trade.example',
  TRADEPOST_PROFILE: 'profile to use in place of the current one',
  TRADEPOST_CONFIG_DIR: 'folder of the profiles',
  TRADEPOST_STATE_DIR: 'folder of journals and checkpoints',
  TRADEPOST_TIME: 'how a terminal shows times, as --time',
  TRADEPOST_PAGER: 'pager of long output, in place of PAGER and less',
  NO_COLOR: 'disable colours',
  FORCE_COLOR: 'enable colours on a pipe too',
  HTTPS_PROXY: 'proxy for an https service; HTTP_PROXY for http',
  NO_PROXY: 'hosts and domains that need no proxy',
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

export function rootSections(page: AddHelpTextContext): string {
  const sections = {
    Examples: rootExamples,
    Environment: environmentLines(),
    'More help': [
      'tradepost help exit-codes    exit codes',
      'tradepost help environment   environment variables and profiles',
      'tradepost help output        output formats and fields, for scripts',
      'tradepost COMMAND --help     options, examples and JSON of a command',
    ],
  };
  return formatSections(sections, getPageWidth(page));
}
