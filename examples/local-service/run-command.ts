import { execFile } from 'node:child_process';
import { createEnvironment, type Program, programFile } from './programs';

/** Options of a command. */
export interface CommandOptions {
  /** Its settings, such as `TRADEPOST_API_KEY`; none are inherited. */
  env?: Record<string, string>;
  /** Ends the command when it aborts. */
  signal: AbortSignal;
}

/**
 * Runs a command in a separate process, as a shell would, and returns its stdout.
 * Rejects with its stderr if the exit code is not 0.
 */
export function runCommand(
  program: Program,
  args: readonly string[],
  { env = {}, signal }: CommandOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: createEnvironment(env), signal };
    execFile(
      process.execPath,
      [programFile(program), ...args],
      options,
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else if (signal.aborted) reject(signal.reason);
        else {
          const message = stderr.trim() === '' ? error.message : stderr.trim();
          reject(new Error(`${program} exited with code ${error.code}.\n${message}`));
        }
      },
    );
  });
}
