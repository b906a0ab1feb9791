import type { Receiver } from './receiver';
import { withTimeout } from './with-timeout';

const timeoutSeconds = 240;

/** How much is delivered in a round. */
export interface DrainSize {
  deliveries: number;
  /** How many of them arrive before the measurement starts. */
  warmUp: number;
}

/** What delivers a backlog. */
export interface Deliverer {
  /** Starts it. */
  start(): Promise<{ readLogTail(): string; stop(): Promise<void> }>;
  /** Waits until the last outcome is in the database. Returns the machine time at that point. */
  allRecorded(): Promise<number>;
  /** Called at the end of the warm-up. */
  onWarm?(): void;
}

/** Calculates the arrivals per second between the end of the warm-up and the end. */
export async function calculateRate(
  receiver: Receiver,
  arrivals: number,
  ended: number,
): Promise<number> {
  const { notedAt } = await receiver.call('getCount', null);
  if (notedAt === null) throw new Error('Too little arrived to measure a rate.');
  return (arrivals / (ended - notedAt)) * 1000;
}

/** Measures how many deliveries per second are made and recorded, from the end of the warm-up until the last outcome. */
export async function drain(
  receiver: Receiver,
  { deliveries, warmUp }: DrainSize,
  { start, allRecorded, onWarm }: Deliverer,
): Promise<number> {
  await receiver.call('resetCount', warmUp);
  const deliverer = await start();
  async function deliver(): Promise<number> {
    await receiver.call('waitFor', warmUp);
    onWarm?.();
    await receiver.call('waitFor', deliveries);
    return await allRecorded();
  }
  const ended = await withTimeout(timeoutSeconds, deliver(), async () => {
    const { arrived } = await receiver.call('getCount', null);
    return `Of ${deliveries} deliveries only ${arrived} arrived and were recorded in ${timeoutSeconds} s. The last lines of the log:\n${deliverer.readLogTail()}`;
  });
  await deliverer.stop();
  return await calculateRate(receiver, deliveries - warmUp, ended);
}
