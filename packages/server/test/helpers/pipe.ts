import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { tempFile } from './temp-folder';

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;

/** A real named pipe: both of its ends can be reopened. */
export class Pipe {
  readonly #path = tempFile('pipe');
  #readerFd: number;

  /** Creates a pipe with an open reading end. It buffers about 64 KiB. */
  constructor() {
    execFileSync('mkfifo', [this.#path]);
    this.#readerFd = this.#openReader();
  }

  #openReader(): number {
    return openSync(this.#path, O_RDONLY | O_NONBLOCK);
  }

  /** Opens a writing end, blocking as a process inherits it from a shell, or `nonBlocking`. The test closes it. */
  openWriter(mode: 'blocking' | 'nonBlocking' = 'blocking'): number {
    return openSync(this.#path, mode === 'blocking' ? O_WRONLY : O_WRONLY | O_NONBLOCK);
  }

  /** Closes the reading end: the next write fails with EPIPE. */
  closeReader(): void {
    closeSync(this.#readerFd);
  }

  /** Opens a reading end again. */
  reopenReader(): void {
    this.#readerFd = this.#openReader();
  }

  /** Reads from now on. The stream closes the reading end with the test. */
  read(): Readable {
    const stream = new Socket({ fd: this.#readerFd, readable: true, writable: false });
    onTestFinished(() => {
      stream.destroy();
    });
    return stream;
  }
}

/** Parses lines of JSON, up to the first that satisfies a condition or to the end of the stream. */
export async function readLines<Line>(
  stream: Readable,
  isLast: (line: Line) => boolean = () => false,
): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const text of createInterface(stream)) {
    const line = JSON.parse(text) as Line;
    lines.push(line);
    if (isLast(line)) break;
  }
  return lines;
}
