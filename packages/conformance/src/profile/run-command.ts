import { execFile } from 'node:child_process';
import process from 'node:process';

/** A command of the profile that failed. */
export class CommandError extends Error {
  override name = 'CommandError' as const;
}

/**
 * Runs a command of the profile without a shell and returns what it printed, without the space around it.
 *
 * @param input its standard input
 * @param env what its environment has beside that of this process
 * @throws {CommandError} it failed, took longer than 30 seconds, or printed nothing although `field` needs a value
 */
export function runCommand(
  field: string,
  [program = '', ...args]: readonly string[],
  { input = '', env = {} }: { input?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { timeout: 30_000, env: { ...process.env, ...env } },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout.trim());
        const why = error.killed
          ? 'it took longer than 30 s'
          : stderr.trim().split('\n').at(-1) || error.message;
        reject(new CommandError(`The command of ${field} failed: ${why}`));
      },
    );
    // It may end without reading its input.
    child.stdin?.on('error', () => undefined).end(input);
  });
}
