import type { Clock } from '@tradepost/domain/kernel/context';

const intervalMs = 10_000;

/**
 * Reports an event at once, and those that follow at most every ten seconds with their number and the last of them, so that a
 * flood of events is not a flood of log lines.
 */
export function throttle<About = void>(
  clock: Clock,
  report: (count: number, about: About) => void,
): (about: About) => void {
  let count = 0;
  let latest: About;
  let isPaused = false;

  function send(): void {
    report(count, latest);
    count = 0;
    isPaused = true;
    clock.schedule(intervalMs, () => {
      isPaused = false;
      if (count > 0) send();
    });
  }

  return (about) => {
    count += 1;
    latest = about;
    if (!isPaused) send();
  };
}
