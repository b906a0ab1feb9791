import { tradepostBin } from './programs';
import { type Exit, runProcess } from './start-process';

/**
 * Runs `tradepost` in a separate process, on pipes, and returns its exit code and output. It has no service
 * and no key except those in `env`: `TRADEPOST_BASE_URL`, `TRADEPOST_API_KEY`.
 */
export function runCli(
  args: readonly string[],
  env: Record<string, string> = {},
  input?: string,
): Promise<Exit> {
  return runProcess(process.execPath, [tradepostBin, ...args], {
    env,
    ...(input === undefined ? {} : { input }),
  });
}
