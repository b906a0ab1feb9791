import { machineTime } from './machine-time';

/** The load and the duration of a closed loop. */
export interface LoopSize {
  /** The number of callers. Each repeats the work as soon as it is done. */
  callers: number;
  /** Seconds before it is counted. */
  warmUp: number;
  /** Seconds in which it is counted. */
  seconds: number;
}

/** Lets some callers repeat the work. Returns how often it was done per second. */
export async function closedLoop(
  { callers, warmUp, seconds }: LoopSize,
  work: () => Promise<unknown>,
): Promise<number> {
  const from = machineTime() + warmUp * 1000;
  const until = from + seconds * 1000;
  let done = 0;
  async function call(): Promise<void> {
    for (let now = 0; now < until; ) {
      await work();
      now = machineTime();
      if (now >= from) done += 1;
    }
  }
  await Promise.all(Array.from({ length: callers }, call));
  return (done / (machineTime() - from)) * 1000;
}
