import process from 'node:process';
import { Command } from 'commander';
import { redactOutput } from '../kernel/redact';
import { version } from '../kernel/version';
import { addAccountDataCommands } from './account-data';
import { addAccountLimitCommands } from './account-limits';
import { addAccountRetentionCommands } from './account-retention';
import { addAccountCommands } from './accounts';
import { addAuditCommand } from './audit';
import { addBackupCommands } from './backup';
import { addCheckCommand } from './check';
import { addDeliveryCommands } from './deliveries';
import { addKeyCommands } from './keys';
import { addListingCommands } from './listings';
import { addMigrateCommand } from './migrate';
import { addMigrateStoreCommand } from './migrate-store';
import { usageExitCode } from './operator-error';
import { type Streams, shorten } from './output';
import { addSecretCommands } from './secrets';
import { addSeedCommand } from './seed';
import { addStartCommand } from './start';
import { addWebhookCommands } from './webhooks';

/** Reports output that could not be written. A closed pipe, of `| head` for example, ends no command and is no error. */
function handleOutputErrors({ stdout, stderr }: Streams): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    stderr.write(`error: Cannot write the output: ${error.message}.\n`);
    process.exitCode = 1;
  });
}

/** Shortens the value that the parser quotes when it is invalid. */
function shortenQuote(message: string): string {
  return message.replace(/(?<=(?:argument|value) ').+?(?=' (?:is invalid|from env))/su, (value) =>
    shorten(value, 60),
  );
}

/** Creates the `tradepost-server` program. */
export function createProgram(streams: Streams): Command {
  const program = new Command('tradepost-server')
    .description('Reference server of the orders, notifications and webhooks service.')
    .version(version)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : usageExitCode))
    .showHelpAfterError('(see --help)')
    .configureOutput({
      writeOut: (text) => streams.stdout.write(text),
      // Its messages quote the command line and the environment.
      writeErr: (text) => streams.stderr.write(shortenQuote(redactOutput(text))),
    });
  program.hook('preAction', (_program, command) => {
    // A server that runs must not end because of its output; it has its own handler.
    if (command.name() !== 'start') handleOutputErrors(streams);
  });
  addStartCommand(program, streams);
  addAccountCommands(program, streams);
  addAccountDataCommands(program, streams);
  addAccountLimitCommands(program, streams);
  addAccountRetentionCommands(program, streams);
  addKeyCommands(program, streams);
  addListingCommands(program, streams);
  addWebhookCommands(program, streams);
  addDeliveryCommands(program, streams);
  addAuditCommand(program, streams);
  addBackupCommands(program, streams);
  addCheckCommand(program, streams);
  addMigrateCommand(program, streams);
  addMigrateStoreCommand(program, streams);
  addSecretCommands(program, streams);
  addSeedCommand(program, streams);
  return program;
}
