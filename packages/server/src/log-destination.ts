import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

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
   * @param errorCode Why they could not be written, such as `ENOSPC`; `EAGAIN` when nobody read what was there.
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
