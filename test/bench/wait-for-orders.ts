import { setTimeout } from 'node:timers/promises';
import { machineTime } from './machine-time';
import type { Receiver } from './receiver';

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
