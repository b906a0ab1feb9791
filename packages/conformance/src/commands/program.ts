import { Command, CommanderError } from 'commander';
import { version } from '../../package.json';
import { ProfileError } from '../profile/read-profile';
import { CommandError } from '../profile/run-command';
import { ReceiverError } from '../receiver/receiver';
import { ReportFileError } from '../report/write-report';
import { CannotRun } from '../run/run';
import { addCheck } from './check';
import { Exit, type Host } from './host';
import { addInit } from './init';
import { addExplain, addList } from './list';

/** Mistakes of people and of their surroundings: the message says what to do, a stack would not. */
const expected = [ProfileError, CommandError, ReceiverError, ReportFileError, CannotRun];

/** Creates the program. It takes arguments and resolves with an exit code: 0 passed, 1 failed, 2 not judged. */
export function createProgram(host: Host): (args: readonly string[]) => Promise<number> {
  const program = new Command('tradepost-conformance')
    .description(
      "Checks whether a service conforms to the trade platform's API specification, and explains every failure.",
    )
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
    })
    .addHelpText(
      'after',
      '\nExit codes: 0 every stated and derived check passed, 1 a check failed, 2 not everything could be judged.',
    );
  for (const add of [addInit, addCheck, addList, addExplain]) add(program, host);
  return async (args) => {
    try {
      await program.parseAsync(args, { from: 'user' });
      return 0;
    } catch (error) {
      // Commander has printed its own messages: help and the version end with 0.
      if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
      const message = (error as Error).message;
      if (error instanceof Exit) {
        if (message !== '') host.stderr.write(`${message}\n`);
        return error.code;
      }
      const { code } = error as NodeJS.ErrnoException;
      if (expected.some((type) => error instanceof type) || code !== undefined) {
        host.stderr.write(`error: ${message}\n`);
        return 2;
      }
      throw error;
    }
  };
}
