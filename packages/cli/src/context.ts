import type { Readable, Writable } from 'node:stream';

/** A stream for text, with the properties of the terminal behind it. */
export interface OutputStream extends Writable {
  /** True for a terminal, false for a pipe or a file. */
  isTTY?: boolean;
  /** Width of the terminal, in cells. */
  columns?: number;
}

/** A stream that text is read from. */
export interface InputStream extends Readable {
  /** True for a terminal, false for a pipe or a file. */
  isTTY?: boolean;
}

/** Everything outside of the process that a command uses. Tests pass their own. */
export interface CliContext {
  /** The standard input. It is opened when it is first requested. */
  stdin: () => InputStream;
  /** For data only. */
  stdout: OutputStream;
  /** For everything else: notices, hints, prompts, errors. */
  stderr: OutputStream;
  /** The environment variables. */
  env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the user interrupts the command (Ctrl-C). */
  signal: AbortSignal;
  /** The current time, in milliseconds since 1970. */
  now: () => number;
  /** A monotonic clock, in milliseconds. Only differences have a meaning. */
  elapsed: () => number;
  /** Resolves after some milliseconds, or when the signal aborts. */
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Resolves after some milliseconds, or when the signal aborts. */
export function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
