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
 * Works on many things, so many at a time.
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
  async function worker(): Promise<void> {
    for (;;) {
      if (turn !== undefined && begun < targets.length) await turn();
      if (ended || signal.aborted || begun >= targets.length) return;
      const target = targets[begun] as Target;
      begun += 1;
      if (endsAll(await work(target))) ended = true;
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, targets.length) }, worker));
  return begun;
}
