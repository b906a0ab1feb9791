import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { CliContext } from '../../../context';
import { CliError } from '../../../errors/cli-error';

const maxSeconds = 10;

/**
 * Returns a function that counts the effects of the receiver by a command of the shell. Of the command only its end is shown, because it may
 * have passwords.
 *
 * @throws {CliError} if the command fails or prints no number: `usage` the first time, when nothing has been sent, `count_failed` later
 */
export function countBy(command: string, { signal }: CliContext): () => Promise<number> {
  let code: 'usage' | 'count_failed' = 'usage';
  return async () => {
    const { printed, why } = await run(command, signal);
    if (why !== null) throw new CliError(code, `--count-command failed: ${why}`);
    code = 'count_failed';
    return Number(printed);
  };
}

/** Runs a command, and ends it with all that it started when it takes too long, or at a signal. */
async function run(command: string, signal: AbortSignal) {
  // A group of its own, so that what the shell started ends with it. Windows has no groups.
  const isGroup = process.platform !== 'win32';
  const child = spawn(command, {
    ...{ shell: true, detached: isGroup, stdio: ['ignore', 'pipe', 'ignore'] },
  });
  const isLate = AbortSignal.timeout(maxSeconds * 1_000);
  const stop = () => {
    if (!isGroup || child.pid === undefined) return void child.kill();
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All of it has ended.
    }
  };
  const ended = AbortSignal.any([isLate, signal]);
  ended.addEventListener('abort', stop);
  if (ended.aborted) stop();
  const closed = new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null));
    child.on('close', (exitCode) => resolve(exitCode));
  });
  const [exitCode, printed] = await Promise.all([closed, text(child.stdout)]);
  ended.removeEventListener('abort', stop);
  // What it started in the background may still run.
  if (isGroup) stop();
  if (isLate.aborted) return { printed, why: `it ran for more than ${maxSeconds} s` };
  if (exitCode !== 0) return { printed, why: `exit code ${exitCode}` };
  return { printed, why: /^\d{1,15}$/.test(printed.trim()) ? null : 'it printed no number' };
}
