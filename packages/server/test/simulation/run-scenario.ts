import { createHash } from 'node:crypto';
import type { DeliveryStore } from '../../src/deliveries/delivery-store';
import { Simulation } from './simulation';

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

/**
 * Runs the simulation of a seed.
 *
 * @param alterStore Changes the store, so that a test can violate an invariant.
 */
export async function runScenario(
  seed: number,
  alterStore?: (deliveries: DeliveryStore) => DeliveryStore,
): Promise<Report> {
  const simulation = new Simulation(seed, alterStore);
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
