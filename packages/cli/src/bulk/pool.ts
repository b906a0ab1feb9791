export interface PoolOptions<Target> {
  targets: readonly Target[];
  concurrency: number;
  /** Works on one target. It never rejects. If it returns true, no other target is started. */
  work: (target: Target) => Promise<boolean>;
  /** No other target is started once it is aborted. */
  signal: AbortSignal;
  /** Resolves when the next target may start. @default at once */
  turn?: (() => Promise<void>) | undefined;
}

/**
 * Works on many targets with limited concurrency. The first runs alone: it shows what would affect all,
 * such as an invalid key.
 *
 * @returns how many of the targets were started
 */
export async function runPool<Target>({
  targets,
  concurrency,
  work,
  signal,
  turn,
}: PoolOptions<Target>): Promise<number> {
  let started = 0;
  let ended = false;

  const isOver = () => ended || signal.aborted || started >= targets.length;

  async function worker(limit: number): Promise<void> {
    while (!isOver() && started < limit) {
      await turn?.();
      if (isOver()) return;
      const target = targets[started] as Target;
      started += 1;
      if (await work(target)) ended = true;
    }
  }

  await worker(1);
  const workers = Math.min(concurrency, targets.length);
  await Promise.all(Array.from({ length: workers }, () => worker(targets.length)));
  return started;
}

/**
 * Creates a function that resolves at most once per interval. A late turn moves all later ones: slow work
 * is not followed by a burst.
 *
 * @param count how many turns there are; a request for more resolves with the last one
 * @param interval milliseconds
 */
export function createRateLimiter(
  count: number,
  interval: number,
  { now, wait }: { now: () => number; wait: (milliseconds: number) => Promise<void> },
): () => Promise<void> {
  let given = 0;
  let next = Number.NEGATIVE_INFINITY;
  let last: Promise<void> = Promise.resolve();
  return () => {
    if (given >= count) return last;
    given += 1;
    const startsAt = Math.max(now(), next);
    next = startsAt + interval;
    const delay = startsAt - now();
    last = delay > 0 ? wait(delay) : Promise.resolve();
    return last;
  };
}
