import type { Workplace } from './bench-environment';
import { startInThreadServer } from './in-thread-server';
import { startTradepostServer, startTwoProcesses } from './tradepost-server';

/** Where the API runs and where the engine does. */
export interface Arrangement {
  /** Where the engine is, in words. */
  engine: string;
  /** Starts both on a database. */
  start(place: Workplace, database: string): Promise<{ url: string; stop(): Promise<void> }>;
}

/** What `--role all` does. */
export const ownThread: Arrangement = {
  engine: 'engine in a thread of its own',
  start: startTradepostServer,
};

/** The ways in which API and engine can be put together. */
export const arrangements: readonly Arrangement[] = [
  { engine: "engine in the API's thread", start: startInThreadServer },
  ownThread,
  { engine: 'engine in a process of its own', start: startTwoProcesses },
];
