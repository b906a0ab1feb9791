import { execFile } from 'node:child_process';
import { environmentWith, fileOf, type Program } from './programs';

/** What a command gets beside its arguments. */
export interface CommandOptions {
  /** Its settings, such as `TRADEPOST_API_KEY`; none are inherited. */
  env?: Record<string, string>;
  /** Ends the command when it aborts. */
  signal: AbortSignal;
}

/**
 * Runs a command in a process of its own, as a shell would, and returns what it wrote to stdout.
 * Rejects with what it wrote to stderr when it does not end with 0.
 */
export function runCommand(
  program: Program,
  args: readonly string[],
  { env = {}, signal }: CommandOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: environmentWith(env), signal };
    execFile(process.execPath, [fileOf(program), ...args], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else if (signal.aborted) reject(signal.reason);
      else {
        const said = stderr.trim() === '' ? error.message : stderr.trim();
        reject(new Error(`${program} ended with exit code ${error.code}.\n${said}`));
      }
    });
  });
}
