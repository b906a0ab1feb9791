import { createHash } from 'node:crypto';
import type { DeliveryStore } from '../../src/deliveries/delivery-store';
import { Simulation } from './simulation';

/** What a simulation came to. */
export interface Report {
  seed: number;
  /** Promises that were broken, and when. None is what is hoped for. */
  broken: string[];
  /** What happened, line by line. */
  trace: string[];
  /** The trace's SHA-256: equal stories have equal ones. */
  hash: string;
  /** How long it lasted, in milliseconds of virtual time. */
  elapsed: number;
  attempts: number;
  delivered: number;
  failed: number;
}

/**
 * Lives through the simulation of a seed.
 *
 * @param tamper Makes the store another one: where a test has promises broken.
 */
export async function runScenario(
  seed: number,
  tamper?: (deliveries: DeliveryStore) => DeliveryStore,
): Promise<Report> {
  const simulation = new Simulation(seed, tamper);
  await simulation.run();
  const { broken, trace, histories } = simulation.invariants;
  return {
    seed,
    broken,
    trace,
    hash: createHash('sha256').update(trace.join('\n')).digest('hex'),
    elapsed: simulation.time.elapsed,
    attempts: histories.reduce((sum, { attempts }) => sum + attempts.length, 0),
    delivered: histories.filter(({ state }) => state === 'delivered').length,
    failed: histories.filter(({ state }) => state === 'failed').length,
  };
}
