import { onAbort } from './on-abort';

/** Clock, random numbers and timers of the client; tests inject their own. */
export interface Runtime {
  /** Milliseconds on a monotonic clock. Only differences are meaningful. */
  elapsed(): number;
  /** Milliseconds since 1970. */
  now(): number;
  /** A number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
  /** Resolves after some milliseconds, or as soon as the signal aborts. */
  wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
}

/** The clock, random numbers and timers of the JavaScript runtime. */
export const systemRuntime: Runtime = {
  elapsed: () => performance.now(),
  now: () => Date.now(),
  random: () => Math.random(),
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        stopListening?.();
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      const stopListening = signal && onAbort(signal, done);
      if (signal?.aborted) done();
    }),
};
