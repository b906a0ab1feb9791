import { constants, getPriority, setPriority } from 'node:os';

const low = constants.priority.PRIORITY_BELOW_NORMAL;

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
