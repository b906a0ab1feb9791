import { createHash } from 'node:crypto';
import type { DeliveryStore } from '@tradepost/domain/deliveries/delivery-store';
import type { OpenDatabase } from './simulated-database';
import { Simulation } from './simulation';
import { openSqliteDatabase } from './sqlite-database';

/** The result of a simulation. */
export interface Report {
  seed: number;
  /** The violated invariants, and when. */
  violations: string[];
  /** What happened, line by line. */
  trace: string[];
  /** The SHA-256 of the trace: equal simulations have equal hashes. */
  hash: string;
  /** How long it lasted, in milliseconds of virtual time. */
  elapsed: number;
  attempts: number;
  delivered: number;
  failed: number;
}

/** Options of a simulation. */
export interface ScenarioOptions {
  /**
   * Opens its database.
   * @default openSqliteDatabase
   */
  openDatabase?: OpenDatabase;
  /** Changes the store of a worker, so that a test can violate an invariant. */
  alterStore?: (deliveries: DeliveryStore) => DeliveryStore;
}

/** Runs the simulation of a seed. */
export async function runScenario(
  seed: number,
  { openDatabase = openSqliteDatabase, alterStore }: ScenarioOptions = {},
): Promise<Report> {
  const simulation = await Simulation.open(seed, openDatabase, alterStore);
  await simulation.run();
  const { violations, trace, histories } = simulation.invariants;
  return {
    seed,
    violations,
    trace,
    hash: createHash('sha256').update(trace.join('\n')).digest('hex'),
    elapsed: simulation.time.elapsed,
    attempts: histories.reduce((sum, { attempts }) => sum + attempts.length, 0),
    delivered: histories.filter(({ state }) => state === 'delivered').length,
    failed: histories.filter(({ state }) => state === 'failed').length,
  };
}
