/** Work on many things, a few at a time. */
export interface Pool<Target, Result> {
  /** What is worked on, in this order. */
  targets: readonly Target[];
  /** How many at a time. */
  concurrency: number;
  /** Works on one. It never rejects: what goes wrong is a result like any other. */
  work: (target: Target) => Promise<Result>;
  /** Whether no other is to be begun after this result. Those under way are finished. */
  endsAll: (result: Result) => boolean;
  /** No other is begun once it is aborted. Those under way are finished: a change must not be in doubt. */
  signal: AbortSignal;
  /** Resolves when the next one may begin; at once unless told. */
  turn?: () => Promise<void>;
}

/**
 * Works on many things, so many at a time. The first goes alone: what would meet all, a wrong key say,
 * shows there.
 *
 * @returns how many were begun: the first so many of the targets
 */
export async function runPool<Target, Result>({
  targets,
  concurrency,
  work,
  endsAll,
  signal,
  turn,
}: Pool<Target, Result>): Promise<number> {
  let begun = 0;
  let ended = false;

  const isOver = () => ended || signal.aborted || begun >= targets.length;

  /** Works on the next one, where there is one. */
  async function step(): Promise<boolean> {
    if (isOver()) return false;
    if (turn !== undefined) {
      await turn();
      if (isOver()) return false;
    }
    const target = targets[begun] as Target;
    begun += 1;
    if (endsAll(await work(target))) ended = true;
    return true;
  }

  async function worker(): Promise<void> {
    while (await step());
  }

  await step();
  await Promise.all(Array.from({ length: Math.min(concurrency, targets.length) }, worker));
  return begun;
}
