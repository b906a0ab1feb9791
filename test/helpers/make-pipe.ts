import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './temporary-folder';

/** The file descriptors of a pipe. */
export interface Pipe {
  /** For writing without blocking. */
  writer: number;
  /** For blocking writes, as a process inherits it from a shell. */
  inherited: number;
}

/**
 * Creates a real pipe; those that Node creates are sockets. It is closed when the test ends.
 *
 * @param ends With `closed` it has no reader, so writes fail with EPIPE.
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
