import { getPriority, setPriority } from 'node:os';

/** A niceness: on a processor that others want all the time it leaves a quarter, enough not to be starved by them. */
const low = 5;

/**
 * Leaves the processor to others that want it, as far as the system lets this thread: on Linux alone a priority is a
 * thread's own. One that is low already stays as it is.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    if (getPriority() < low) setPriority(low);
  } catch {
    // A sandbox may forbid it; the work is the same.
  }
}
