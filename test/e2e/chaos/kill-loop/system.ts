import type { Drain } from './drain';
import type { Activity } from './kill-point';
import type { OperationLog } from './operation-log';
import type { RecordedState } from './recorded-state';

/** What a round may do besides its faults. */
export interface RoundContext {
  activity: Activity;
  /** Places an order through one API process, and repeats the request there until it is acknowledged. */
  probe(url: string): Promise<Probe>;
}

/** An order that was placed to find out whether everything works again. */
export interface Probe {
  /** Resolves when its delivery was acknowledged by its receiver. */
  delivered: Promise<void>;
}

/** Servers on one database, and the faults that they have to survive. */
export interface System {
  /** The database, as operators pass it to commands. */
  readonly database: string;
  /** The base URLs of the processes that serve the API. */
  readonly urls: readonly string[];
  /** The number of the run, from 1. A new one starts after each kill of a process that makes deliveries. */
  readonly run: number;
  /** When each run was killed, by its number: `performance.now()`. */
  readonly killedAt: Map<number, number>;
  /**
   * The runs in which connections of workers broke although they lived on. As they could be dead, other workers make their
   * deliveries, which arrive again.
   */
  readonly disturbedRuns: ReadonlySet<number>;
  /** The runs in which the database crashed. It may have lost leases, so that what was in flight arrives once more. */
  readonly crashedRuns: ReadonlySet<number>;
  /** Whether the servers work between two rounds, so that the database can be audited there. */
  readonly isUpBetweenRounds: boolean;

  /** Starts all processes, and waits until they work. */
  start(): Promise<void>;
  /** Lets one fault happen while clients and receivers are busy. */
  runRound(context: RoundContext): Promise<void>;
  /** Starts what does not run after the last round. */
  finishRounds(): Promise<void>;
  /** Resolves when requests may succeed: at once, or after the next start. */
  waitUntilUp(): Promise<void>;
  /** Waits for `work`. Rejects if a process exits unexpectedly before. */
  failOnCrash<Result>(work: Promise<Result>): Promise<Result>;
  /** Waits until all deliveries are made. If that takes too long, it returns, and the audit reports those that are missing. */
  finishDeliveries(drain: Drain): Promise<void>;
  /** Returns the log lines of a request, as far as its process still runs. */
  readLog?(requestId: string): string;
  /** Reads the state. No change may be made meanwhile. */
  readState(): Promise<RecordedState>;
  /** Returns what is damaged in the files of the database, one sentence each. */
  checkFiles(): Promise<string[]>;
  /** What was measured, one row for each kind of fault. Empty if nothing is. */
  report(log: OperationLog): object[];
  /** Stops the processes as an operator does. Rejects if an exit code is not 0. The database can still be read. */
  stop(): Promise<void>;
  /** Kills everything that still runs. */
  close(): Promise<void>;
}
