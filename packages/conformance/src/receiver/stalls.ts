/** A time in which this process did not run, because the machine was busy. */
export interface Stall {
  /** Milliseconds since 1970. */
  endedAt: number;
  milliseconds: number;
}

const interval = 20;
/** Shorter ones are the usual inaccuracy of a timer. */
const shortest = 20;

/** Records the stalls of this process until it is stopped. */
export function watchStalls(): { stalls: readonly Stall[]; stop(): void } {
  const stalls: Stall[] = [];
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const milliseconds = now - last - interval;
    if (milliseconds >= shortest) stalls.push({ endedAt: Date.now(), milliseconds });
    last = now;
  }, interval).unref();
  return { stalls, stop: () => clearInterval(timer) };
}
