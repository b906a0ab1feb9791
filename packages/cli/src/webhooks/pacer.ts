/** The clock that a pace is kept by. */
export interface PaceClock {
  /** Milliseconds; only differences mean something. */
  now: () => number;
  /** Resolves after some milliseconds, or as soon as the pace is over. */
  wait: (milliseconds: number) => Promise<void>;
}

/**
 * Makes what gives out turns, one each so many milliseconds. Whoever comes late takes their turn then,
 * and the next is a whole interval after it: what was slow is never made up for by a burst.
 *
 * Who asks for more turns than there are gets theirs with the last one, not after it.
 *
 * @param count how many turns there are
 * @param interval milliseconds
 */
export function pacer(
  count: number,
  interval: number,
  { now, wait }: PaceClock,
): () => Promise<void> {
  let given = 0;
  let next = Number.NEGATIVE_INFINITY;
  let last: Promise<void> = Promise.resolve();
  return () => {
    if (given >= count) return last;
    given += 1;
    const begin = Math.max(now(), next);
    next = begin + interval;
    const delay = begin - now();
    last = delay > 0 ? wait(delay) : Promise.resolve();
    return last;
  };
}
