import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './temporary-folder';

/** The file descriptors of a pipe. */
export interface Pipe {
  /** To write to without blocking. */
  writer: number;
  /** To write to, blocking: as a process inherits it from a shell. */
  inherited: number;
}

/**
 * Makes a real pipe, which Node's own `pipe` is not: that is a socket. It is closed with the test.
 *
 * @param ends `closed` leaves it without a reader: writes fail with EPIPE.
 */
export async function makePipe(ends: 'open' | 'closed' = 'open'): Promise<Pipe> {
  const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
  const folder = await temporaryFolder();
  const path = join(folder.path, 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, O_RDONLY | O_NONBLOCK);
  const writer = openSync(path, O_WRONLY | O_NONBLOCK);
  const inherited = openSync(path, O_WRONLY);
  if (ends === 'closed') closeSync(reader);
  onTestFinished(async () => {
    for (const fd of ends === 'closed' ? [writer, inherited] : [reader, writer, inherited])
      closeSync(fd);
    await folder.remove();
  });
  return { writer, inherited };
}
