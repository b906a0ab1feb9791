import type { BenchEnvironment } from './bench-environment';
import { startBenchProcess } from './bench-process';
import type { CommitOptions } from './commit-options';
import type { InThreadServerOperations } from './in-thread-server-process';

/**
 * Starts the server as a program embeds it: API and engine in one thread.
 *
 * @param commits How its store commits. Defaults to the store's defaults.
 */
export async function startInThreadServer(
  environment: BenchEnvironment,
  file: string,
  commits: CommitOptions = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const path = new URL('./in-thread-server-process.ts', import.meta.url);
  const child = startBenchProcess<InThreadServerOperations>(environment, path);
  return { url: await child.call('start', { file, commits }), stop: child.stop };
}
