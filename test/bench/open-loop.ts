import { setTimeout } from 'node:timers/promises';
import { machineTime } from './machine-time';

/**
 * Does something at a fixed rate, whether or not what was begun before has ended: so what is slow is not
 * asked less often. Fulfils when all of it has ended; rejects when some of it failed, and begins no more.
 */
export async function openLoop(
  { perSecond, seconds }: { perSecond: number; seconds: number },
  work: (number: number) => Promise<void>,
): Promise<void> {
  const total = Math.round(perSecond * seconds);
  const began = machineTime();
  const underWay: Promise<void>[] = [];
  const failures: unknown[] = [];
  for (let number = 0; number < total && failures.length === 0; number += 1) {
    const wait = began + (number * 1000) / perSecond - machineTime();
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
