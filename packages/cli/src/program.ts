import { Command, Option } from 'commander';
import { version } from '../package.json';
import { type CommandSpec, helpSections } from './command-tree';
import type { CliContext } from './context';
import { addHelp, helpConfiguration, rootSections } from './help/help';
import {
  isRepeatable,
  type OutputFormat,
  outputFormats,
  repeatable,
  separators,
  timeStyles,
} from './input/options';
import { getTerminalWidth, supportsColor } from './output/text';

/**
 * Runs one command line: parses it, runs the command, reports errors.
 *
 * @param argv the arguments without the program
 * @returns the exit code
 */
export async function run(argv: readonly string[], context: CliContext): Promise<number> {
  const { program, current, errorFormat, page } = createProgram(context);
  let endLog = (_?: unknown) => {};
  program.hook('preAction', async () => {
    const { debug } = program.opts();
    if (debug === undefined) return;
    endLog = (await import('./client/debug-log')).openDebugLog(debug, argv, context);
  });
  try {
    if (argv.length === 0 && (await greet(context))) return 0;
    await program.parseAsync(argv, { from: 'user' });
    endLog();
    return 0;
  } catch (error) {
    const { output: _, ...flags } = program.opts();
    const failure = isHelpOrVersion(error) ? await tryToPrint(page(), context, flags) : error;
    if (failure === null) return 0;
    endLog(failure);
    const { reportError } = await import('./report/report-error');
    return reportError(failure, context, { output: errorFormat(), command: current(), flags });
  }
}

/** Shows a person who is logged in the state of the account. Returns whether it did. */
async function greet(context: CliContext): Promise<boolean> {
  if (context.stdout.isTTY !== true) return false;
  const { printSummaryIfPossible } = await import('./commands/summary');
  if (!(await printSummaryIfPossible(context))) return false;
  context.stderr.write('\nAll commands: `tradepost --help`\n');
  return true;
}

/** Prints a help page. Returns why that failed; null if it did not. */
async function tryToPrint(
  page: string,
  context: CliContext,
  options: { pager?: boolean },
): Promise<unknown> {
  const { stdout } = context;
  const isWritten = (resolve: (value: boolean) => void) =>
    stdout.write(page, (error) => resolve(!error));
  if (!stdout.isTTY && (await new Promise(isWritten))) return null;
  // It has the pager, and reports why nothing can be written.
  const { printPage } = await import('./output/print');
  return await printPage(page, context, options).then(
    () => null,
    (error: unknown) => error,
  );
}

function isHelpOrVersion(error: unknown): boolean {
  return error instanceof Error && 'exitCode' in error && error.exitCode === 0;
}

interface Program {
  program: Command;
  current: () => Command;
  /** Returns the format of errors on stderr, once the command line is parsed. */
  errorFormat: () => OutputFormat;
  /** Adds the options of a command, unless they are there or it is a group. */
  load: (command: Command) => Promise<void>;
  /** Returns the help page or the version that was requested; empty if none was. */
  page: () => string;
}

/**
 * Creates the parser: the name and summary of every command, and how to load the rest.
 *
 * Parsing rejects with a `CommanderError`, of exit code 0 after `--help` and `--version`.
 */
export function createProgram(context: CliContext): Program {
  const program = new Command('tradepost');
  let current = program;
  let page = '';
  const unloaded = new Map<Command, CommandSpec>();

  /** It is that of the data. But --jq is also for people: on a terminal they get text. */
  function errorFormat(): OutputFormat {
    const isImplied = program.getOptionValueSource('output') === 'implied';
    return isImplied && context.stderr.isTTY === true ? 'table' : program.opts().output;
  }

  async function load(command: Command): Promise<void> {
    const spec = unloaded.get(command);
    if (!spec) return;
    unloaded.delete(command);
    // Its times are those of UTC then, also those that it reads.
    const itsContext = program.opts().utc
      ? { ...context, env: { ...context.env, TZ: 'UTC' } }
      : context;
    (await spec.load()).configure(command, itsContext, load);
    rejectRepeatedOptions(command);
  }

  function add(parent: Command, name: string, spec: CommandSpec): void {
    const { summary, hidden = false } = spec;
    const command = parent.command(name, { hidden }).summary(summary);
    unloaded.set(command.description(`${summary}.`), spec);
  }

  function loadNext(parent: Command): void {
    parent.hook('preSubcommand', (_, next) => {
      current = next;
      return load(next);
    });
  }

  program
    .description('Manage orders, notifications and webhooks of a trade platform.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .configureHelp(helpConfiguration)
    .configureOutput({
      writeOut: (text) => {
        page += text;
      },
      writeErr: (text) => {
        // The help after a missing command. With JSON output it would be noise.
        if (!isJson(errorFormat())) context.stderr.write(text);
      },
      // Errors are reported in one place: reportError.
      outputError: () => {},
      getOutHelpWidth: () => getTerminalWidth(context.stdout),
      getErrHelpWidth: () => getTerminalWidth(context.stderr),
      getOutHasColors: () => supportsColor(context.stdout),
      getErrHasColors: () => supportsColor(context.stderr),
    })
    .exitOverride()
    .addHelpText('after', rootSections);
  addGlobalOptions(program);
  rejectRepeatedOptions(program);
  rejectUnknownCommands(program);

  for (const [heading, section] of Object.entries(helpSections)) {
    program.commandsGroup(heading);
    for (const [name, entry] of Object.entries(section)) {
      if ('load' in entry) {
        add(program, name, entry);
        continue;
      }
      const group = program.command(name).summary(entry.summary).helpCommand(false);
      addHelp(group.description(`${entry.summary}.`));
      rejectUnknownCommands(group);
      for (const [child, spec] of Object.entries(entry.commands)) add(group, child, spec);
      loadNext(group);
    }
  }
  loadNext(program);
  return { program, current: () => current, errorFormat, load, page: () => page };
}

function addGlobalOptions(program: Command): void {
  program
    .addOption(
      new Option('-o, --output <format>', 'format of the data on stdout')
        .choices(outputFormats)
        .default('table' satisfies OutputFormat),
    )
    .addOption(new JsonOption('--json', 'the same as --output json').preset('json'))
    .option('--fields <names>', 'print only these fields, separated by commas', joinNames)
    .addOption(
      new Option(
        '-q, --jq <expression>',
        'print the result of a jq expression on the JSON',
      ).implies({
        output: 'json' satisfies OutputFormat,
      }),
    )
    .addOption(
      new Option(
        '--excel',
        'CSV that Excel opens as it is: byte order mark, separator of the locale, local times',
      ).implies({ output: 'csv' satisfies OutputFormat }),
    )
    .addOption(
      new Option('--separator <mark>', 'what is between the cells of CSV')
        .choices(separators)
        .implies({ output: 'csv' satisfies OutputFormat }),
    )
    .addOption(new Option('--time <style>', 'how a terminal shows times').choices(timeStyles))
    .option('--utc', 'show and read local times in UTC')
    .option('--no-pager', 'do not show long output page by page')
    .option('--profile <name>', 'profile to use, in place of TRADEPOST_PROFILE')
    .option('--base-url <url>', 'service URL, in place of TRADEPOST_BASE_URL')
    .option('--debug <file>', 'log requests and responses to a file, without keys and secrets');
}

class JsonOption extends Option {
  override attributeName(): string {
    return 'output';
  }
}

const joinNames = repeatable((text: string, before?: string) =>
  before === undefined ? text : `${before},${text}`,
);

/**
 * Rejects an option with a value that is given twice: one of the values would be lost. `--x` and `--no-x` exclude
 * each other too. A repeated flag, such as `--yes --yes`, is harmless.
 */
function rejectRepeatedOptions(command: Command): void {
  const given = new Map<string, { option: Option; value: unknown }>();
  for (const option of command.options) {
    if (isRepeatable(option.parseArg)) continue;
    const name = option.attributeName();
    command.on(`option:${option.name()}`, () => {
      const first = given.get(name);
      const value = command.getOptionValue(name);
      given.set(name, { option, value });
      if (first === undefined) return;
      if (first.option !== option && first.value !== value) {
        const message = `error: option '${option.flags}' cannot be used with '${first.option.flags}'`;
        command.error(message, { code: 'commander.conflictingOption' });
      }
      if (first.option === option && option.required) {
        const message = `error: option '${option.flags}' is given twice`;
        command.error(message, { code: 'commander.repeatedOption' });
      }
    });
  }
}

/** Rejects an unknown command of a group also with `--help`: Commander would show the help of the group. */
function rejectUnknownCommands(group: Command): void {
  // It adds the suggestion by spelling. Commander's types lack it.
  const { unknownCommand } = group as Command & { unknownCommand(): never };
  group.addHelpText('before', ({ error }) => {
    const [first = '-'] = group.args;
    if (!error && !first.startsWith('-')) unknownCommand.call(group);
    return '';
  });
}

function isJson(output: OutputFormat): boolean {
  return output === 'json' || output === 'ndjson';
}
