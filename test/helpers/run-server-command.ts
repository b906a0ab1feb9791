import { tradepostServerBin } from './programs';
import { type Exit, runProcess } from './start-process';

/** Runs `tradepost-server` in a separate process, and returns its exit code and output. */
export function runOperator(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Exit> {
  return runProcess(process.execPath, [tradepostServerBin, ...args], { env });
}

/**
 * Runs one of the operator's commands, such as `['keys', 'list']`, on a database and returns its
 * output with `--json`. Rejects with its stderr if it fails.
 */
export async function runServerCommand<Result>(
  args: readonly string[],
  database: string,
): Promise<Result> {
  const command = [...args, '--database', database, '--json'];
  const { code, stdout, stderr } = await runOperator(command);
  if (code !== 0)
    throw new Error(`tradepost-server ${args.join(' ')} exited with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Result;
}
