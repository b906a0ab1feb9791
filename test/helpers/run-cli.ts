import { tradepostBin } from './programs';
import { type Exit, runProcess } from './start-process';

/**
 * Runs `tradepost` as a process of its own, on pipes, and tells how it ended. It knows no service
 * and has no key but those in `env`: `TRADEPOST_BASE_URL`, `TRADEPOST_API_KEY`.
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
