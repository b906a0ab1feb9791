import { forTest } from './for-test';
import { tradepostBin } from './programs';
import { type Exit, type RunningProcess, runProcess, startProcess } from './start-process';

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

/** Starts `tradepost` in the same way. It is killed when the test ends. */
export function startCli(
  args: readonly string[],
  env: Record<string, string> = {},
  input?: string,
): RunningProcess {
  const options = { env, ...(input === undefined ? {} : { input }) };
  return forTest(startProcess(process.execPath, [tradepostBin, ...args], options), 'SIGKILL');
}
