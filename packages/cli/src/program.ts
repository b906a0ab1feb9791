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

  function addLeaves(parent: Command, leaves: Record<string, Leaf>): void {
    for (const [name, { summary }] of Object.entries(leaves)) {
      parent.command(name).summary(summary).description(`${summary}.`);
    }
    parent.hook('preSubcommand', async (_, next) => {
      current = next;
      const leaf = leaves[next.name()];
      if (leaf) (await leaf.load()).define(next, terminal);
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

  const topLeaves: Record<string, Leaf> = {};
  for (const [heading, chapter] of Object.entries(chapters)) {
    program.commandsGroup(heading);
    for (const [name, entry] of Object.entries(chapter)) {
      if ('load' in entry) {
        topLeaves[name] = entry;
        continue;
      }
      const group = program.command(name).summary(entry.summary).helpCommand(false);
      addLeaves(group.description(`${entry.summary}.`), entry.commands);
    }
  }
  addLeaves(program, topLeaves);
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
