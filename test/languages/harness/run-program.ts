import { runProcess } from '../../helpers/start-process';

/** A command line. */
export interface Program {
  command: string;
  args: readonly string[];
  cwd?: string;
  env?: Record<string, string>;
}

/** What a program reports of one check: a line of JSON on its stdout. */
export interface CheckResult {
  check: string;
  ok: boolean;
  /** What was seen. If the check failed, why. */
  detail: string;
}

/** Runs a program to its end and returns its stdout. Rejects with its whole output if it fails. */
export async function run({ command, args, cwd, env }: Program): Promise<string> {
  const exit = await runProcess(command, args, {
    ...(env && { env }),
    ...(cwd !== undefined && { cwd }),
  });
  if (exit.code === 0) return exit.stdout;
  const ending = `${command} ${args.join(' ')} ended with ${exit.code ?? exit.signal}.`;
  throw new Error(`${ending}\nstdout:\n${exit.stdout}\nstderr:\n${exit.stderr}`);
}

/** Runs a program and returns what it reports. */
export async function runChecks(program: Program): Promise<CheckResult[]> {
  const stdout = await run(program);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as CheckResult);
}
