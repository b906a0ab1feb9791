import { Command, Option } from 'commander';
import { version } from '../package.json';
import { type OutputFormat, outputFormats } from './global-options';
import { helpStyle } from './help/help-style';
import { rootSections } from './help/root-sections';
import { showsColours } from './output/style';
import type { Terminal } from './terminal';
import { usageErrorOf } from './usage-error';

/** What a file under `commands/` has: it gives a command its arguments, options and action. */
interface CommandModule {
  define: (command: Command, terminal: Terminal) => void;
}

interface Leaf {
  summary: string;
  /** Loads the command's file. Only the command that is run is ever loaded: start-up stays fast. */
  load: () => Promise<CommandModule>;
}

/** The tree of commands. The path is the command: `orders list` is in `commands/orders/list.ts`. */
const groups: Record<string, { summary: string; commands: Record<string, Leaf> }> = {
  orders: {
    summary: 'List orders, look at one, move one on',
    commands: {
      list: { summary: 'List orders, newest first', load: () => import('./commands/orders/list') },
      get: { summary: 'Show one order', load: () => import('./commands/orders/get') },
      'set-status': {
        summary: 'Move an order to another status',
        load: () => import('./commands/orders/set-status'),
      },
    },
  },
  notifications: {
    summary: 'List notifications, mark them read',
    commands: {
      list: {
        summary: 'List notifications, newest first',
        load: () => import('./commands/notifications/list'),
      },
      read: {
        summary: 'Mark notifications as read',
        load: () => import('./commands/notifications/read'),
      },
    },
  },
  webhooks: {
    summary: 'Register endpoints that receive signed events',
    commands: {
      register: {
        summary: 'Register a webhook and show its secret, once',
        load: () => import('./commands/webhooks/register'),
      },
    },
  },
};

const help: Leaf = {
  summary: 'Show help for a command or a topic',
  load: () => import('./commands/help'),
};

/**
 * Builds the command line: every command's name and summary, and how to load the rest of it.
 *
 * Parsing rejects with a `CliError` (`usage`) when the command line makes no sense, and with a
 * `CommanderError` of exit code 0 after `--help` and `--version`.
 */
export function createProgram(terminal: Terminal): Command {
  const program = new Command('tradepost');
  /** The command that the parser has come to. */
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
    .addOption(
      new Option('--output <format>', 'how data is printed on stdout')
        .choices(outputFormats)
        .default('table' satisfies OutputFormat),
    )
    .option('--base-url <url>', 'where the service is, instead of TRADEPOST_BASE_URL')
    .configureHelp(helpStyle)
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => {
        // The help that is shown when a command is missing. Where JSON is asked for it is in the way.
        if (program.opts().output === 'table') terminal.stderr.write(text);
      },
      // Errors are reported in one place, by reportError.
      outputError: () => {},
      getOutHelpWidth: () => (terminal.stdout.isTTY && terminal.stdout.columns) || 80,
      getErrHelpWidth: () => (terminal.stderr.isTTY && terminal.stderr.columns) || 80,
      getOutHasColors: () => showsColours(terminal.stdout),
      getErrHasColors: () => showsColours(terminal.stderr),
    })
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : usageErrorOf(error, current);
    })
    .addHelpText('after', rootSections);

  for (const [name, group] of Object.entries(groups)) {
    const command = program.command(name).summary(group.summary).helpCommand(false);
    addLeaves(command.description(`${group.summary}.`), group.commands);
  }
  addLeaves(program, { help });
  return program;
}
