import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The machine's monotonic clock in milliseconds, with fractions. All processes of this machine read the
 * same clock, so times of different processes can be compared. It is never set.
 */
export function machineTime(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

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

/**
 * Starts work at a fixed rate, whether or not earlier work has ended, so that slow work does not lower the rate.
 * Resolves when all of it has ended. Rejects when some of it fails, and then starts no more.
 */
export async function openLoop(
  { perSecond, seconds }: { perSecond: number; seconds: number },
  work: (number: number) => Promise<void>,
): Promise<void> {
  const total = Math.round(perSecond * seconds);
  const startedAt = machineTime();
  const underWay: Promise<void>[] = [];
  const failures: unknown[] = [];
  for (let number = 0; number < total && failures.length === 0; number += 1) {
    const wait = startedAt + (number * 1000) / perSecond - machineTime();
    if (wait > 0) await sleep(wait);
    underWay.push(
      work(number).catch((error) => {
        failures.push(error);
      }),
    );
  }
  await Promise.all(underWay);
  if (failures.length > 0) throw failures[0];
}

/**
 * Waits for `work` with a timeout.
 *
 * @param seconds The timeout.
 * @param explain Returns the message of the timeout error.
 */
export async function withTimeout<Result>(
  seconds: number,
  work: Promise<Result>,
  explain: () => string | Promise<string>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(async () => reject(new Error(await explain())), seconds * 1000);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
