import { setTimeout } from 'node:timers/promises';
import type { BenchEnvironment } from './bench-environment';
import { type BenchProcess, startBenchProcess } from './bench-process';
import { machineTime, withTimeout } from './loops';
import type { ReceiverOperations } from './receiver-process';

/** Endpoints in a separate process. */
export interface Receiver extends BenchProcess<ReceiverOperations> {
  urls: string[];
}

/** Starts a receiver with some endpoints, each on its own port. By default they respond with 204. */
export async function startReceiver(
  environment: BenchEnvironment,
  endpoints: number,
): Promise<Receiver> {
  const file = new URL('./receiver-process.ts', import.meta.url);
  const receiver = startBenchProcess<ReceiverOperations>(environment, file);
  return { ...receiver, urls: await receiver.call('listen', endpoints) };
}

const pauseMs = 5;

/**
 * Waits until deliveries of all of these orders have arrived at a receiver that records arrivals.
 *
 * @returns When the first delivery of the last of them arrived. Machine time.
 */
export async function waitForOrders(
  receiver: Receiver,
  orderIds: ReadonlySet<string>,
  timeoutMs: number,
): Promise<number> {
  const deadline = machineTime() + timeoutMs;
  for (;;) {
    const firstArrivals = new Map<string, number>();
    for (const { orderId, at } of await receiver.call('getArrivals', null)) {
      if (orderIds.has(orderId) && !firstArrivals.has(orderId)) firstArrivals.set(orderId, at);
    }
    if (firstArrivals.size === orderIds.size) return Math.max(...firstArrivals.values());
    if (machineTime() > deadline) {
      const missing = orderIds.size - firstArrivals.size;
      throw new Error(`Deliveries of ${missing} orders did not arrive in ${timeoutMs} ms.`);
    }
    await setTimeout(pauseMs);
  }
}

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
