import { setTimeout } from 'node:timers/promises';
import { machineTime } from './machine-time';

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
    if (wait > 0) await setTimeout(wait);
    underWay.push(
      work(number).catch((error) => {
        failures.push(error);
      }),
    );
  }
  await Promise.all(underWay);
  if (failures.length > 0) throw failures[0];
}
