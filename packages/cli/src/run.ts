import { CommanderError } from 'commander';
import { createProgram } from './program';
import type { Terminal } from './terminal';

/**
 * Runs one command line: parses it, does what it asks for, reports what goes wrong.
 *
 * @param argv the arguments alone, without the program
 * @returns the exit code
 */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const program = createProgram(terminal);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    // --help and --version end the parsing by throwing.
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const { reportError } = await import('./report-error');
    return reportError(error, terminal, program.opts().output);
  }
}
