function inOrder(values: readonly number[]): number[] {
  if (values.length === 0) throw new Error('Nothing was measured: there are no values.');
  return values.toSorted((a, b) => a - b);
}

/**
 * The value at or below which a share of all values lies: the nearest rank, so it is one of them.
 *
 * @param share From 0 to 1, such as 0.99.
 * @throws Error when there are no values.
 */
export function quantile(values: readonly number[], share: number): number {
  return inOrder(values)[Math.max(0, Math.ceil(share * values.length) - 1)] ?? Number.NaN;
}

/**
 * The middle value; of an even number of them, the mean of the middle two.
 *
 * @throws Error when there are no values.
 */
export function median(values: readonly number[]): number {
  const sorted = inOrder(values);
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return (lower + upper) / 2;
}

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
