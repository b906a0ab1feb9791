import { onTestFinished, vi } from 'vitest';

/** A clock that only waits move: that of a command, and that of the SDK's client, which reads `performance`. */
export function fakeTime() {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  let time = Date.now();
  const wait = async (milliseconds: number) => {
    time += milliseconds;
    vi.advanceTimersByTime(Math.ceil(milliseconds));
  };
  return { now: () => time, wait };
}
