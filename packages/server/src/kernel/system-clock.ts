import type { Clock } from '@tradepost/domain/kernel/context';

/** The system clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  isReal: true,
  now: () => Date.now(),
  elapsed: () => performance.now(),
  schedule(milliseconds, work) {
    const timer = setTimeout(work, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
