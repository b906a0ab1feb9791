import { version } from '../package.json';
import type { CliContext } from './context';

/**
 * Runs one command line: parses it, runs the command, reports errors.
 *
 * @param argv the arguments without the program
 * @returns the exit code
 */
export async function run(argv: readonly string[], context: CliContext): Promise<number> {
  if (argv.length === 1 && argv[0] === '--version') {
    // Scripts and installers call it: the parser is not loaded.
    context.stdout.write(`${version}\n`);
    return 0;
  }
  const { createProgram } = await import('./program');
  const { program, current, errorFormat } = createProgram(context);
  let endLog = (_?: unknown) => {};
  program.hook('preAction', async () => {
    const { debug } = program.opts();
    if (debug === undefined) return;
    endLog = (await import('./debug/debug-log')).openDebugLog(debug, argv, context);
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    endLog();
    return 0;
  } catch (error) {
    if (isHelpOrVersion(error)) return 0;
    endLog(error);
    const { reportError } = await import('./report/report-error');
    const { output: _, ...flags } = program.opts();
    return reportError(error, context, { output: errorFormat(), command: current(), flags });
  }
}

/** Whether the parser ended after `--help` or `--version`. */
function isHelpOrVersion(error: unknown): boolean {
  return error instanceof Error && 'exitCode' in error && error.exitCode === 0;
}
