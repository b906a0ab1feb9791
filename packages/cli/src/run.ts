import { version } from '../package.json';
import type { Terminal } from './terminal';

/**
 * Runs one command line: parses it, does what it asks for, reports what goes wrong.
 *
 * @param argv the arguments alone, without the program
 * @returns the exit code
 */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  if (argv.length === 1 && argv[0] === '--version') {
    // Asked for by scripts and installers: no parser is needed to tell.
    terminal.stdout.write(`${version}\n`);
    return 0;
  }
  const { createProgram } = await import('./program');
  const { program, current } = createProgram(terminal);
  let endRecord = (_?: unknown) => {};
  program.hook('preAction', async () => {
    const { debug } = program.opts();
    if (debug === undefined) return;
    endRecord = (await import('./support/debug-record')).beginRecord(debug, argv, terminal);
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    endRecord();
    return 0;
  } catch (error) {
    if (isAnswered(error)) return 0;
    endRecord(error);
    const { reportError } = await import('./report-error');
    const { output, ...login } = program.opts();
    return reportError(error, terminal, { output, command: current(), login });
  }
}

/** Whether it is how the parser ends after `--help` and `--version`. */
function isAnswered(error: unknown): boolean {
  return error instanceof Error && 'exitCode' in error && error.exitCode === 0;
}
