/** What the retries need of the world; tests put in a clock that they move themselves. */
export interface Runtime {
  /** Milliseconds on a clock that never goes back. Only differences mean something. */
  elapsed(): number;
  /** Milliseconds since 1970. */
  now(): number;
  /** A number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
  /** Resolves after some milliseconds, or as soon as the signal aborts. */
  wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
}

/** The real clock, the real dice. */
export const systemRuntime: Runtime = {
  elapsed: () => performance.now(),
  now: () => Date.now(),
  random: () => Math.random(),
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      signal?.addEventListener('abort', done);
      if (signal?.aborted) done();
    }),
};
