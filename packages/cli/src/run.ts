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
  const { program, current, errorFormat, page } = createProgram(context);
  let endLog = (_?: unknown) => {};
  program.hook('preAction', async () => {
    const { debug } = program.opts();
    if (debug === undefined) return;
    endLog = (await import('./client/debug-log')).openDebugLog(debug, argv, context);
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    endLog();
    return 0;
  } catch (error) {
    const { output: _, ...flags } = program.opts();
    const failure = isHelpOrVersion(error) ? await tryToPrint(page(), context, flags) : error;
    if (failure === null) return 0;
    endLog(failure);
    const { reportError } = await import('./report/report-error');
    return reportError(failure, context, { output: errorFormat(), command: current(), flags });
  }
}

/** Prints a help page. Returns why that failed; null if it did not. */
async function tryToPrint(
  page: string,
  context: CliContext,
  options: { pager?: boolean },
): Promise<unknown> {
  if (!context.stdout.isTTY) {
    context.stdout.write(page);
    return null;
  }
  const { printPage } = await import('./output/print');
  return await printPage(page, context, options).then(
    () => null,
    (error: unknown) => error,
  );
}

/** Whether the parser ended after `--help` or `--version`. */
function isHelpOrVersion(error: unknown): boolean {
  return error instanceof Error && 'exitCode' in error && error.exitCode === 0;
}
