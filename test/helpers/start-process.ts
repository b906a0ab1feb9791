import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cleanEnvironment } from './clean-environment';

/** How a process ended, and its output. */
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
   * Waits until stdout (or stderr) matches, including what was written before. Rejects with the whole output if
   * the process ends without a match.
   */
  writes(pattern: RegExp, to?: 'stdout' | 'stderr'): Promise<RegExpExecArray>;
  /** Starts reading stderr, if the options left it unread. */
  readStderr(): void;
  /** Resolves when the process has ended and its pipes are empty. Rejects if it could not be started. */
  exit: Promise<Exit>;
  /** Sends a signal and waits for the end. Does nothing if the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

/** Options of a process. */
export interface ProcessOptions {
  /** Added to an environment without variables of these programs. */
  env?: Record<string, string>;
  cwd?: string;
  /** Its whole stdin. Defaults to nothing. */
  input?: string;
  /** A file descriptor for its stdout. Defaults to a pipe that is read. */
  stdout?: number;
  /** A file descriptor for its stderr, or `unread` for a pipe that is not read yet. Defaults to a pipe that is read. */
  stderr?: number | 'unread';
}

/** Starts a real process and collects its output. Stop it when the test ends: `onTestFinished`. */
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
  // A process that ends without reading its input closes the pipe. That is not an error.
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
        const check = () => {
          const match = pattern.exec(written[to]);
          if (match === null) return;
          child[to]?.off('data', check);
          resolve(match);
        };
        child[to]?.on('data', check);
        check();
        exit.then(({ code, signal }) => {
          const { stdout, stderr } = written;
          const ending = `ended with ${code ?? signal} without writing ${pattern} to ${to}`;
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
