import { machineTime } from './machine-time';

/** How hard and how long a closed loop works. */
export interface LoopSize {
  /** Who each do the work again as soon as they have done it. */
  callers: number;
  /** Seconds before it is counted. */
  warmUp: number;
  /** Seconds in which it is counted. */
  seconds: number;
}

/** Has a number of callers do something over and over. Returns how often it was done per second. */
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
