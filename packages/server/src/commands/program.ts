import process from 'node:process';
import { Command } from 'commander';
import { version } from '../kernel/version';
import { addAccountCommands } from './accounts';
import { addKeyCommands } from './keys';
import { addListingCommands } from './listings';
import type { Streams } from './output';
import { addSeedCommand } from './seed';
import { addStartCommand } from './start';

/** The usual exit code for an invalid command line. */
const usageExitCode = 2;

/** Creates the `tradepost-server` program. */
export function createProgram(streams: Streams): Command {
  const program = new Command('tradepost-server')
    .description('Reference server of the orders, notifications and webhooks service.')
    .version(version)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : usageExitCode))
    .showHelpAfterError('(see --help)')
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
