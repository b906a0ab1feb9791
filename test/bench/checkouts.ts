import type { BenchContext } from './bench-context';
import { createDatabases, createOtherDatabases, type Specs, type TemplatesOf } from './database';
import type { Measurement } from './figure';
import { interleave } from './rounds';
import { findServerBin } from './tradepost-server';

/** A built server to measure. */
export interface Checkout<Databases> {
  /** The server's program; undefined for that of this checkout. */
  bin: string | undefined;
  /** Databases with the schema of this server. */
  databases: Databases;
}

/** The server of this checkout, and that of the other one if there is one to compare with. */
export interface Checkouts<Databases> {
  ours: Checkout<Databases>;
  other: Checkout<Databases> | null;
}

/** What was measured of each, round by round. */
interface Results<Result> {
  ours: Result[];
  other: Result[] | null;
}

/**
 * Creates the same databases for each server.
 *
 * @param specs The contents of each database, by name.
 */
export async function createCheckouts<const Wanted extends Specs>(
  { environment, otherCheckout }: BenchContext,
  specs: Wanted,
): Promise<Checkouts<TemplatesOf<Wanted>>> {
  const ours = { bin: undefined, databases: await createDatabases(environment, specs) };
  if (otherCheckout === null) return { ours, other: null };
  const databases = await createOtherDatabases(environment, otherCheckout, specs);
  return { ours, other: { bin: findServerBin(otherCheckout), databases } };
}

/** Measures each server in turn, round after round. */
export async function measureCheckouts<Databases, Result>(
  { ours, other }: Checkouts<Databases>,
  rounds: number,
  measure: (checkout: Checkout<Databases>) => Promise<Result>,
  log?: (progress: string) => void,
  what?: string,
): Promise<Results<Result>> {
  if (other === null) {
    return { ...(await interleave(rounds, { ours: () => measure(ours) }, log, what)), other: null };
  }
  return interleave(rounds, { ours: () => measure(ours), other: () => measure(other) }, log, what);
}

/** Returns our values of a figure, with those of the other checkout as their baseline. */
export function compareCheckouts<Result>(
  { ours, other }: Results<Result>,
  read: (result: Result) => number,
): Pick<Measurement, 'ours' | 'baseline'> {
  if (other === null) return { ours: ours.map(read) };
  return {
    ours: ours.map(read),
    baseline: { what: 'the other checkout', values: other.map(read) },
  };
}
