import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';

export interface OutputStream extends Writable {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
  /** Its file descriptor, for a program that writes to the same terminal. */
  fd?: number;
}

export interface InputStream extends Readable {
  isTTY?: boolean;
}

/** Everything outside of the process that a command uses. Tests pass their own. */
export interface CliContext {
  /** The standard input. It is opened when it is first requested. */
  stdin: () => InputStream;
  stdout: OutputStream;
  /** For everything else: notices, hints, prompts, errors. */
  stderr: OutputStream;
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
export async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  // It rejects when the signal aborts.
  await setTimeout(milliseconds, undefined, { signal }).catch(() => {});
}
