/** A time in which this process was busy. */
export interface Stall {
  /** Milliseconds since 1970. */
  endedAt: number;
  /** By how much a timer was late. */
  milliseconds: number;
  /** How many turns the event loop made meanwhile, and for how long it worked in them, in milliseconds. */
  turns: number;
  active: number;
}

const interval = 20;
/** In milliseconds. Less is the usual inaccuracy of a timer. */
export const late = 20;
/** In milliseconds. A turn takes less if the process has little to do. */
const longTurn = 1;

/** Records the stalls of this process until it is stopped. */
export function watchStalls(): { stalls: readonly Stall[]; stop(): void } {
  const stalls: Stall[] = [];
  const look = () => ({
    now: performance.now(),
    loop: performance.eventLoopUtilization(),
    turns: performance.nodeTiming.uvMetricsInfo.loopCount,
  });
  let last = look();
  const timer = setInterval(() => {
    const next = look();
    const milliseconds = next.now - last.now - interval;
    const active = next.loop.active - last.loop.active;
    const turns = next.turns - last.turns;
    if (milliseconds >= late || active > longTurn * turns)
      stalls.push({ endedAt: Date.now(), milliseconds, turns, active });
    last = next;
  }, interval).unref();
  return { stalls, stop: () => clearInterval(timer) };
}
