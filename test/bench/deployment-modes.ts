import type { BenchEnvironment } from './bench-environment';
import { startInThreadServer } from './in-thread-server';
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
