import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';
import { redactOutput } from './redact';

/** How much is logged, from nothing to everything. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;

/** One level of logging. */
export type LogLevel = (typeof logLevels)[number];

/** Milliseconds that the end of a process or thread waits for a reader of its last lines. */
const exitTimeoutMs = 500;

/** Shared by all logs of this thread, so that their lines keep their order and one buffer holds them. */
let stderr: LogDestination | undefined;

/**
 * Creates a log of JSON lines on stderr. Keys, secrets and passwords are redacted. Logging never blocks, never throws and never
 * ends the process: lines that are not read are dropped in the end, and the log says how many.
 */
export function createLog(level: LogLevel): Logger {
  const hidden = ['authorization', 'apiKey', 'secret', 'signature'];
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      redact: hidden.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
    },
    // Opened by the first line: a silent log needs no file descriptor.
    {
      write(line) {
        stderr ??= openDestination();
        stderr.write(redactOutput(line));
      },
    },
  );
}

function openDestination(): LogDestination {
  const opened = new LogDestination({ fd: openStderr(), formatDropNotice });
  // Emitted at a normal end, by `process.exit` and after an uncaught exception, in worker threads too.
  process.on('exit', () => opened.flushAtExit(exitTimeoutMs));
  return opened;
}

/** Returns a file descriptor for stderr that a write does not block on, wherever the system offers one. */
function openStderr(): number {
  // Node makes pipes and sockets non-blocking when it opens the stream. A worker thread's stream has no descriptor.
  const fd = process.stderr.fd ?? 2;
  if (process.platform !== 'linux') return fd;
  // Non-blocking is a property of the open file, and other processes that inherited it can undo it; a terminal stays
  // blocking. An open file of our own has neither problem. A regular file has to share its position with stdout, and a
  // socket cannot be opened again.
  try {
    // With `bigint`, because after a plain `fstat` of a pipe Node resolves the next symbolic links wrongly, so that modules
    // imported later do not find their dependencies: `realpathSync` reads the result of the previous plain call.
    const file = fstatSync(fd, { bigint: true });
    if (file.isFile() || file.isSocket()) return fd;
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // Without /proc, or where stderr belongs to another user.
    return fd;
  }
}

/** Formats like pino does: it must get through whatever the level of the log is. */
function formatDropNotice(dropped: number, errorCode: string): string {
  const reason =
    errorCode === 'EAGAIN' ? 'was not read fast enough' : `could not be written (${errorCode})`;
  const line = {
    level: pino.levels.values.warn,
    time: new Date().toISOString(),
    dropped,
    msg: `log lines dropped: stderr ${reason}`,
  };
  return `${JSON.stringify(line)}\n`;
}

/** How many bytes wait for the reader: some 5,000 lines. */
const maxPendingBytes = 1024 * 1024;
/** Linux's PIPE_BUF. A write of this size never mixes with what other threads write to the same pipe. */
const maxChunkBytes = 4096;
/** Milliseconds between two attempts to write. Doubles from `min` to `max` while nothing is accepted. */
const retryDelay = { min: 10, max: 250, atExit: 5 };

/** Whole lines, or what is left of a line that was written in part. */
interface Chunk {
  data: string | Buffer;
  bytes: number;
}

/** What a log destination needs. */
export interface LogDestinationOptions {
  /** The file descriptor to write to. A write to it must return at once: a pipe has to be non-blocking. */
  fd: number;
  /**
   * Builds the log line that reports lost lines.
   *
   * @param errorCode Why they could not be written, such as `ENOSPC`; `EAGAIN` when the lines were not read.
   */
  formatDropNotice(dropped: number, errorCode: string): string;
}

/**
 * Writes log lines and never waits for their reader. A line is written at once if the system accepts it; else it
 * waits in a buffer of 1 MiB, and the write is retried, whatever the error was. Lines beyond the buffer are dropped
 * until half of it is free again; then a line says how many were.
 */
export class LogDestination implements DestinationStream {
  readonly #options: LogDestinationOptions;
  readonly #pending: Chunk[] = [];
  #pendingBytes = 0;
  #dropped = 0;
  /** Of the latest write that failed. */
  #errorCode = '';
  /** Why lines began to be dropped. */
  #dropErrorCode = '';
  #retry: NodeJS.Timeout | undefined;
  #retryMs = retryDelay.min;

  constructor(options: LogDestinationOptions) {
    this.#options = options;
  }

  /** Takes one line, with its line feed. Never blocks and never throws. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    const hasBacklog = this.#pendingBytes > 0 || this.#dropped > 0;
    const written = hasBacklog ? 0 : this.#tryWrite(line);
    if (written === bytes) return;
    if (written > 0) this.#append(Buffer.from(line).subarray(written), bytes - written);
    else if (this.#dropped > 0 || this.#pendingBytes + bytes > maxPendingBytes) this.#drop();
    else this.#append(line, bytes);
    this.#scheduleRetry();
  }

  /**
   * Writes what is left when the process or the thread ends. It blocks, but for `timeoutMs` at most, and only as long
   * as a reader may come: other errors do not pass in that time.
   */
  flushAtExit(timeoutMs: number): void {
    const deadline = performance.now() + timeoutMs;
    const neverNotified = new Int32Array(new SharedArrayBuffer(4));
    while (!this.#drain() && this.#errorCode === 'EAGAIN' && performance.now() < deadline) {
      Atomics.wait(neverNotified, 0, 0, retryDelay.atExit);
    }
  }

  /** Writes as much of the backlog as is accepted. Returns whether nothing is left. */
  #drain(): boolean {
    for (;;) {
      if (this.#dropped > 0 && this.#pendingBytes <= maxPendingBytes / 2) this.#reportDropped();
      const chunk = this.#pending[0];
      if (chunk === undefined) return true;
      const written = this.#tryWrite(chunk.data);
      if (written === 0) return false;
      this.#retryMs = retryDelay.min;
      this.#pendingBytes -= written;
      if (written === chunk.bytes) this.#pending.shift();
      else {
        chunk.data = Buffer.from(chunk.data as string).subarray(written);
        chunk.bytes -= written;
      }
    }
  }

  /** Returns how many bytes were accepted; 0 after an error. */
  #tryWrite(data: string | Buffer): number {
    try {
      return writeSync(this.#options.fd, data as string);
    } catch (error) {
      this.#errorCode = (error as NodeJS.ErrnoException).code ?? '';
      return 0;
    }
  }

  /** Puts a line, or the rest of one, at the end of the backlog. Short lines share a write. */
  #append(data: string | Buffer, bytes: number): void {
    this.#pendingBytes += bytes;
    const last = this.#pending.at(-1);
    if (
      typeof last?.data === 'string' &&
      typeof data === 'string' &&
      last.bytes + bytes <= maxChunkBytes
    ) {
      last.data += data;
      last.bytes += bytes;
    } else {
      this.#pending.push({ data, bytes });
    }
  }

  #drop(): void {
    if (this.#dropped === 0) this.#dropErrorCode = this.#errorCode;
    this.#dropped += 1;
  }

  #reportDropped(): void {
    const notice = this.#options.formatDropNotice(this.#dropped, this.#dropErrorCode);
    this.#dropped = 0;
    this.#append(notice, Buffer.byteLength(notice));
  }

  #scheduleRetry(): void {
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      if (this.#drain()) return;
      this.#retryMs = Math.min(this.#retryMs * 2, retryDelay.max);
      this.#scheduleRetry();
    }, this.#retryMs).unref();
  }
}
