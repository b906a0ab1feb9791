import { median } from './quantiles';

/** One of several that were measured in the same rounds. */
export interface Contender {
  name: string;
  /** Its value in each round. */
  values: readonly number[];
}

/**
 * The one that is ahead of all others by its median.
 *
 * @throws Error when there are none.
 */
export function foremost(contenders: readonly Contender[], best: 'highest' | 'lowest'): Contender {
  const sign = best === 'highest' ? -1 : 1;
  const middle = ({ values }: Contender) => sign * median(values);
  const [first] = contenders.toSorted((a, b) => middle(a) - middle(b));
  if (first === undefined) throw new Error('Nobody was measured: nobody is ahead.');
  return first;
}
