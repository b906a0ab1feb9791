import type { Workplace } from './bench-environment';
import type { CommitOptions } from './commit-options';
import type { InThreadServerVerbs } from './in-thread-server-process';
import { startOwnProcess } from './own-process';

/**
 * Starts the server as a program that embeds it gets it: API and engine in one thread.
 *
 * @param commits How its store commits; as it does by itself unless told.
 */
export async function startInThreadServer(
  place: Workplace,
  file: string,
  commits: CommitOptions = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const path = new URL('./in-thread-server-process.ts', import.meta.url);
  const child = startOwnProcess<InThreadServerVerbs>(place, path);
  return { url: await child.ask('start', { file, commits }), stop: child.stop };
}
