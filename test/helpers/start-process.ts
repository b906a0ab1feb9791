import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cleanEnvironment } from './clean-environment';

/** How a process ended, and all it wrote. */
export interface Exit {
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A process that a test started. */
export interface RunningProcess {
  pid: number | undefined;
  /** What it has written to stdout so far. */
  stdout(): string;
  /** What it has written to stderr so far. */
  stderr(): string;
  /**
   * Waits until stdout (or stderr) holds a match, written already or to come. Rejects with all that
   * was written when the process ends without it.
   */
  writes(pattern: RegExp, to?: 'stdout' | 'stderr'): Promise<RegExpExecArray>;
  /** Reads stderr from now on, where the options left it unread. */
  readStderr(): void;
  /** Settles when it has ended and its pipes are empty. Rejects when it could not be started. */
  exit: Promise<Exit>;
  /** Sends a signal and waits for the end. One that has ended already is left alone. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

/** What a process gets beside its arguments. */
export interface ProcessOptions {
  /** Added to an environment that has nothing of ours in it. */
  env?: Record<string, string>;
  cwd?: string;
  /** All it can read from stdin; nothing unless told. */
  input?: string;
  /** A file descriptor for its stdout. Defaults to a pipe that is read. */
  stdout?: number;
  /** A file descriptor for its stderr, or `unread` for a pipe that nobody reads yet. Defaults to a pipe that is read. */
  stderr?: number | 'unread';
}

/** Starts a real process and collects what it writes. Stop it in the end: `onTestFinished`. */
export function startProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions = {},
): RunningProcess {
  const { env = {}, cwd, input = '', stdout = 'pipe', stderr = 'pipe' } = options;
  const child = spawn(command, args, {
    env: cleanEnvironment(env),
    cwd,
    stdio: ['pipe', stdout, stderr === 'unread' ? 'pipe' : stderr],
  });
  const written = { stdout: '', stderr: '' };
  function read(stream: 'stdout' | 'stderr'): void {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      written[stream] += text;
    });
  }
  read('stdout');
  if (stderr !== 'unread') read('stderr');
  // A process that ends without reading its input closes the pipe: no fault of the test.
  child.stdin?.on('error', () => {}).end(input);

  const exit = once(child, 'close').then(([code, signal]): Exit => ({ code, signal, ...written }));

  return {
    pid: child.pid,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    readStderr: () => read('stderr'),
    exit,
    writes(pattern, to = 'stdout') {
      return new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(written[to]);
          if (match === null) return;
          child[to]?.off('data', look);
          resolve(match);
        };
        child[to]?.on('data', look);
        look();
        exit.then(({ code, signal }) => {
          const { stdout, stderr } = written;
          const ending = `ended with ${code ?? signal} and never wrote ${pattern} to ${to}`;
          reject(new Error(`${command} ${ending}.\nstdout:\n${stdout}\nstderr:\n${stderr}`));
        }, reject);
      });
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      return await exit;
    },
  };
}

/** Runs a process to its end. */
export function runProcess(
  command: string,
  args: readonly string[],
  options?: ProcessOptions,
): Promise<Exit> {
  return startProcess(command, args, options).exit;
}
