/** Where the server takes time from, so that a test can hold it still and move it. */
export interface Clock {
  /** Milliseconds since 1970. May go backwards, as system clocks do. */
  now(): number;
  /** Milliseconds since an arbitrary start, with fractions. Never goes backwards, even if the clock is set. */
  elapsed(): number;
  /** Runs `work` once, `milliseconds` from now; the answer calls it off. */
  after(milliseconds: number, work: () => void): () => void;
}

/**
 * By how much a clock may differ from the time that passed until it counts as set, in milliseconds: clocks are
 * corrected by little all the time.
 */
export const clockTolerance = 1_000;

/** The machine's own clock. Its timers never keep the process alive by themselves. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(milliseconds, work) {
    const timer = setTimeout(work, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** A moment as the interface writes it: ISO 8601, UTC, with milliseconds. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
