import { tradepostServerBin } from './programs';
import { runProcess } from './start-process';

/**
 * Runs one of the operator's commands, such as `['keys', 'list']`, on a database and returns its
 * output with `--json`. Rejects with its stderr if it fails.
 */
export async function runServerCommand<Result>(
  args: readonly string[],
  database: string,
): Promise<Result> {
  const command = [tradepostServerBin, ...args, '--database', database, '--json'];
  const { code, stdout, stderr } = await runProcess(process.execPath, command);
  if (code !== 0)
    throw new Error(`tradepost-server ${args.join(' ')} exited with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Result;
}
