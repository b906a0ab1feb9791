import { Command, Option } from 'commander';
import { version } from '../package.json';
import { chapters, type Leaf } from './command-tree';
import { type OutputFormat, outputFormats } from './global-options';
import { helpStyle } from './help/help-style';
import { rootSections } from './help/root-sections';
import { showsColours } from './output/style';
import type { Terminal } from './terminal';

/** The command line, and how far its parser has come. */
interface Program {
  program: Command;
  /** The command that the parser has come to. */
  current: () => Command;
}

/**
 * Builds the command line: every command's name and summary, and how to load the rest of it.
 *
 * Parsing rejects with a `CommanderError`: of exit code 0 after `--help` and `--version`, of another
 * when the command line makes no sense.
 */
export function createProgram(terminal: Terminal): Program {
  const program = new Command('tradepost');
  let current = program;
  const unloaded = new Map<Command, Leaf>();

  /** Gives a command what it takes. One that has it already, or has commands instead, stays as it is. */
  async function load(command: Command): Promise<void> {
    const leaf = unloaded.get(command);
    if (!leaf) return;
    unloaded.delete(command);
    (await leaf.load()).define(command, terminal, load);
  }

  function add(parent: Command, name: string, leaf: Leaf): void {
    const { summary, hidden = false } = leaf;
    const command = parent.command(name, { hidden }).summary(summary);
    unloaded.set(command.description(`${summary}.`), leaf);
  }

  function loadNext(parent: Command): void {
    parent.hook('preSubcommand', (_, next) => {
      current = next;
      return load(next);
    });
  }

  program
    .description('Orders, notifications and webhooks of a trade platform, for people and scripts.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .configureHelp(helpStyle)
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => {
        // The help that is shown when a command is missing. Where JSON is asked for it is in the way.
        if (!isJson(program.opts().output)) terminal.stderr.write(text);
      },
      // Errors are reported in one place, by reportError.
      outputError: () => {},
      getOutHelpWidth: () => (terminal.stdout.isTTY && terminal.stdout.columns) || 80,
      getErrHelpWidth: () => (terminal.stderr.isTTY && terminal.stderr.columns) || 80,
      getOutHasColors: () => showsColours(terminal.stdout),
      getErrHasColors: () => showsColours(terminal.stderr),
    })
    .exitOverride()
    .addHelpText('after', rootSections);
  addGlobalOptions(program);

  for (const [heading, chapter] of Object.entries(chapters)) {
    program.commandsGroup(heading);
    for (const [name, entry] of Object.entries(chapter)) {
      if ('load' in entry) {
        add(program, name, entry);
        continue;
      }
      const group = program.command(name).summary(entry.summary).helpCommand(false);
      group.description(`${entry.summary}.`);
      for (const [child, leaf] of Object.entries(entry.commands)) add(group, child, leaf);
      loadNext(group);
    }
  }
  loadNext(program);
  return { program, current: () => current };
}

function addGlobalOptions(program: Command): void {
  program
    .addOption(
      new Option('--output <format>', 'how data is printed on stdout')
        .choices(outputFormats)
        .default('table' satisfies OutputFormat),
    )
    .option('--fields <names>', 'print these fields alone, separated by commas')
    .addOption(
      new Option('--jq <expression>', 'print what this jq expression makes of the JSON').implies({
        output: 'json' satisfies OutputFormat,
      }),
    )
    .option('--profile <name>', 'the login to use, instead of TRADEPOST_PROFILE')
    .option('--base-url <url>', 'where the service is, instead of TRADEPOST_BASE_URL')
    .option('--debug <file>', 'write requests and answers to a file, without keys and secrets');
}

function isJson(output: OutputFormat): boolean {
  return output === 'json' || output === 'ndjson';
}
