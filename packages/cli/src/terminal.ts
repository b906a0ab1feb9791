import type { Readable, Writable } from 'node:stream';

/** A stream that text is written to, with what is known of the screen behind it. */
export interface OutputStream extends Writable {
  /** True when a person looks at it: a terminal, not a pipe and not a file. */
  isTTY?: boolean;
  /** Width of the terminal, in cells. */
  columns?: number;
}

/** A stream that text is read from. */
export interface InputStream extends Readable {
  /** True when a person types it: a terminal, not a pipe and not a file. */
  isTTY?: boolean;
}

/** All that a command has of the world around it. Tests hand in their own. */
export interface Terminal {
  /** What is handed to a command. It is opened when it is asked for, and not before. */
  stdin: () => InputStream;
  /** For data, and nothing else. */
  stdout: OutputStream;
  /** For everything else: notes, hints, errors. */
  stderr: OutputStream;
  /** The environment variables. */
  env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the person at the keyboard interrupts (Ctrl-C). */
  signal: AbortSignal;
  /** The present moment, in milliseconds since 1970. */
  now: () => number;
  /** Milliseconds on a clock that is never set. Only differences mean something: what waits goes by it. */
  elapsed: () => number;
  /** Resolves after some milliseconds, or as soon as the signal aborts. */
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}
