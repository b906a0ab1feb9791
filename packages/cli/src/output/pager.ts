import type { ChildProcess } from 'node:child_process';
import process from 'node:process';
import type { CliContext } from '../context';
import { CliError } from '../errors/cli-error';
import type { PagerOptions } from '../input/options';

export interface Pager {
  /** @throws {CliError} `output_closed` once the person has quit, `interrupted` after Ctrl-C in some pagers */
  write: (text: string) => Promise<void>;
  close: () => Promise<void>;
  hasQuit: () => boolean;
}

/** What less does by default: it ends at once if all fits on the screen, and leaves the text there. */
const lessOptions = 'FRX';

/** What needs a shell, as Git defines it. A shell that waits for the pager would end after Ctrl-C. */
const shellSyntax = /[|&;<>()$`\\"'*?[#~=%]/;

/**
 * Returns the command of the pager: TRADEPOST_PAGER, else PAGER, else less. Null without a terminal, with
 * `--no-pager`, and if it is empty or `cat`.
 */
export function findPager(
  { pager }: PagerOptions,
  { stdout, env }: CliContext,
): { file: string; args: string[]; isShell: boolean } | null {
  if (pager === false || stdout.isTTY !== true || stdout.fd === undefined) return null;
  if (env.TERM === 'dumb') return null;
  const command = (env.TRADEPOST_PAGER ?? env.PAGER ?? `less -${lessOptions}`).trim();
  if (['', 'cat'].includes(command)) return null;
  if (shellSyntax.test(command)) return { file: command, args: [], isShell: true };
  const [file = '', ...args] = command.split(/\s+/);
  return { file, args, isShell: false };
}

/** How a pager ended. Any other end than by the person is a failure. */
type PagerEnd = 'quit' | 'interrupted' | 'failed';

/**
 * Creates a pager, which starts with the first text. If it cannot be started or fails, everything is
 * written to the terminal instead.
 *
 * @param writePlain writes to the terminal
 * @returns null if there is none
 */
export function createPager(
  options: PagerOptions,
  context: CliContext,
  writePlain: (text: string) => Promise<void>,
): Pager | null {
  const command = findPager(options, context);
  if (command === null) return null;
  let running: RunningPager | null = null;
  let hasFailed = false;
  // Its size is that of what was read: the pager takes no more before the person scrolls.
  let written: string[] = [];

  async function finish(end: PagerEnd): Promise<void> {
    if (end === 'failed' && !hasFailed) {
      hasFailed = true;
      const all = written.join('');
      written = [];
      await writePlain(all);
    }
    if (end === 'interrupted') throw new CliError('interrupted', 'Interrupted');
  }

  return {
    async write(text) {
      if (text === '') return;
      if (hasFailed) return await writePlain(text);
      written.push(text);
      running ??= await start(command, context);
      const end = await running.write(text);
      if (end === null) return;
      await finish(end);
      if (end === 'quit') throw new CliError('output_closed', 'The pager was closed');
    },
    async close() {
      if (running !== null && !hasFailed) await finish(await running.close());
    },
    hasQuit: () => running?.end() === 'quit',
  };
}

interface RunningPager {
  /** Resolves when it has taken the text, with null, or when it has ended. */
  write: (text: string) => Promise<PagerEnd | null>;
  close: () => Promise<PagerEnd>;
  end: () => PagerEnd | null;
}

async function start(
  { file, args, isShell }: { file: string; args: string[]; isShell: boolean },
  { stdout, stderr, env }: CliContext,
): Promise<RunningPager> {
  const { spawn } = await import('node:child_process');
  const child: ChildProcess = spawn(file, args, {
    shell: isShell,
    stdio: ['pipe', stdout.fd, stderr.fd ?? 'inherit'],
    env: { LESS: lessOptions, LESSCHARSET: 'utf-8', LV: '-c', ...env },
  });
  const { stdin } = child;
  const releaseInterrupts = leaveInterruptsToPager();
  let end: PagerEnd | null = null;
  let isComplete = false;
  const ended = new Promise<PagerEnd>((resolve) => {
    function onEnd(how: PagerEnd): void {
      end = how;
      releaseInterrupts();
      // What is requested may take long: as Ctrl-C, which some pagers do not survive, this ends its requests.
      if (how === 'interrupted' || (how === 'quit' && !isComplete)) process.emit('SIGINT');
      resolve(how);
    }
    child.once('error', () => onEnd('failed'));
    child.once('exit', (code, signal) => {
      const isInterrupted = signal === 'SIGINT' || code === 130;
      onEnd(code === 0 ? 'quit' : isInterrupted ? 'interrupted' : 'failed');
    });
  });
  // A pager that has ended takes no more: its end says why.
  stdin?.on('error', () => {});
  return {
    async write(text) {
      const isTaken = await new Promise<boolean>((resolve) => {
        stdin?.write(text, (error) => resolve(!error));
        void ended.then(() => resolve(false));
      });
      return isTaken ? null : await ended;
    },
    async close() {
      isComplete = true;
      stdin?.end();
      return await ended;
    },
    end: () => end,
  };
}

/**
 * Leaves Ctrl-C to the pager, as a shell does with a command in the foreground: it stops a search there.
 *
 * @returns restores what was before
 */
function leaveInterruptsToPager(): () => void {
  const listeners = process.listeners('SIGINT');
  const ignore = () => {};
  process.removeAllListeners('SIGINT');
  process.on('SIGINT', ignore);
  return () => {
    process.off('SIGINT', ignore);
    for (const listener of listeners) process.on('SIGINT', listener);
  };
}
