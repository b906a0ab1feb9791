import process from 'node:process';
import { Command } from 'commander';
import { addAccountCommands } from './commands/accounts';
import { addKeyCommands } from './commands/keys';
import { addListingCommands } from './commands/listings';
import type { Streams } from './commands/output';
import { addSeedCommand } from './commands/seed';
import { addStartCommand } from './commands/start';
import { version } from './version';

/** As shells and most programs have it for a command line that makes no sense. */
const usageExitCode = 2;

/** The whole of `tradepost-server`: what an operator runs. */
export function createProgram(streams: Streams): Command {
  const program = new Command('tradepost-server')
    .description('Reference server of the orders, notifications and webhooks service.')
    .version(version)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : usageExitCode))
    .showHelpAfterError('(add --help for what it takes)')
    .configureOutput({
      writeOut: (text) => streams.stdout.write(text),
      writeErr: (text) => streams.stderr.write(text),
    });
  addStartCommand(program, streams);
  addAccountCommands(program, streams);
  addKeyCommands(program, streams);
  addListingCommands(program, streams);
  addSeedCommand(program, streams);
  return program;
}
