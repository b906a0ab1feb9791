import { tradepostServerBin } from './programs';
import { runProcess } from './start-process';

/**
 * Runs one of the operator's commands, such as `['keys', 'list']`, on a database and returns what it
 * answers to `--json`. Rejects with what it said on stderr when it fails.
 */
export async function runServerCommand<Answer>(
  args: readonly string[],
  database: string,
): Promise<Answer> {
  const whole = [tradepostServerBin, ...args, '--database', database, '--json'];
  const { code, stdout, stderr } = await runProcess(process.execPath, whole);
  if (code !== 0)
    throw new Error(`tradepost-server ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Answer;
}
