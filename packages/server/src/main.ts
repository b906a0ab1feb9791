import { OperatorError } from './commands/operator-error';
import { createProgram } from './program';
import { StoreUnavailableError } from './store-unavailable-error';

try {
  await createProgram({ stdout: process.stdout, stderr: process.stderr }).parseAsync();
} catch (error) {
  // What an operator can mend is told in a line; anything else is a fault of ours and shows its stack.
  if (!(error instanceof OperatorError || error instanceof StoreUnavailableError)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
}
