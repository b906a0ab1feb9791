import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import { OperatorError } from './commands/operator-error';
import { escapeControlChars } from './commands/output';
import { createProgram } from './commands/program';
import { redactOutput } from './kernel/redact';

try {
  await createProgram({ stdout: process.stdout, stderr: process.stderr }).parseAsync();
} catch (error) {
  // Errors that the operator can fix are printed in one line. Anything else is a bug and shows its stack.
  if (!(error instanceof OperatorError || error instanceof StoreUnavailableError)) throw error;
  // It may have text of a database. Its own line breaks stay.
  const lines = error.message.split('\n').map(escapeControlChars);
  process.stderr.write(redactOutput(`error: ${lines.join('\n')}\n`));
  process.exitCode = error instanceof OperatorError ? error.exitCode : 1;
}
