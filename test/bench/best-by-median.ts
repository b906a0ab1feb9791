import { median } from './quantiles';

/** One of several sides that were measured in the same rounds. */
export interface Candidate {
  name: string;
  /** Its value in each round. */
  values: readonly number[];
}

/**
 * Returns the candidate with the best median.
 *
 * @throws Error if there are no candidates.
 */
export function findBest(candidates: readonly Candidate[], best: 'highest' | 'lowest'): Candidate {
  const sign = best === 'highest' ? -1 : 1;
  const middle = ({ values }: Candidate) => sign * median(values);
  const [first] = candidates.toSorted((a, b) => middle(a) - middle(b));
  if (first === undefined) throw new Error('Nothing was measured.');
  return first;
}
