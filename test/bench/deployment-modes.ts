import type { BenchEnvironment } from './bench-environment';
import { startBenchProcess } from './bench-process';
import type { InThreadServerOperations } from './in-thread-server-process';
import { startTradepostServer, startTwoProcesses } from './tradepost-server';

/** In which thread or process the API and the engine run. */
export interface Arrangement {
  /** Where the engine is, in words. */
  engine: string;
  /** Starts both on a database. */
  start(
    environment: BenchEnvironment,
    database: string,
  ): Promise<{ url: string; stop(): Promise<void> }>;
}

/** The mode of `--role all`. */
export const ownThread: Arrangement = {
  engine: 'engine in a separate thread',
  start: startTradepostServer,
};

/** All deployment modes. */
export const arrangements: readonly Arrangement[] = [
  { engine: "engine in the API's thread", start: startInThreadServer },
  ownThread,
  { engine: 'engine in a separate process', start: startTwoProcesses },
];

/** Starts the server as a program embeds it: API and engine in one thread. */
async function startInThreadServer(
  environment: BenchEnvironment,
  file: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const path = new URL('./in-thread-server-process.ts', import.meta.url);
  const child = startBenchProcess<InThreadServerOperations>(environment, path);
  return { url: await child.call('start', file), stop: child.stop };
}
