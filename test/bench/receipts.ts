import { setTimeout } from 'node:timers/promises';
import type { BenchProcess } from './bench-process';
import type { Arrival, ReceiverOperations } from './receiver-process';

/** When the request of an order was sent, and when its response arrived. Machine time. */
export interface OrderTimes {
  sentAt: number;
  respondedAt: number;
}

/** The time from an order's request and from its response to the arrival of a delivery, in milliseconds. */
export interface Receipt {
  sinceSent: number;
  /** Negative if the delivery arrived before the response. */
  sinceResponse: number;
}

const pause = 50;

function toReceipts(
  arrivals: readonly Arrival[],
  orders: ReadonlyMap<string, OrderTimes>,
): Receipt[] {
  const receipts: Receipt[] = [];
  for (const { orderId, at } of arrivals) {
    const times = orders.get(orderId);
    // Deliveries of the warm-up may arrive late.
    if (times === undefined) continue;
    receipts.push({ sinceSent: at - times.sentAt, sinceResponse: at - times.respondedAt });
  }
  return receipts;
}

/**
 * Waits until the deliveries of all orders have arrived at every endpoint, or until the timeout.
 *
 * @param perOrder The number of deliveries of each order.
 * @param timeoutMs In milliseconds.
 */
export async function collectReceipts(
  receiver: BenchProcess<ReceiverOperations>,
  orders: ReadonlyMap<string, OrderTimes>,
  perOrder: number,
  timeoutMs: number,
): Promise<{ receipts: Receipt[]; missing: number }> {
  const expected = orders.size * perOrder;
  for (let waited = 0; ; waited += pause) {
    const isOver = waited >= timeoutMs;
    const { arrived } = await receiver.call('getCount', null);
    if (isOver || arrived >= expected) {
      const receipts = toReceipts(await receiver.call('getArrivals', null), orders);
      const missing = Math.max(0, expected - receipts.length);
      if (isOver || missing === 0) return { receipts, missing };
    }
    await setTimeout(pause);
  }
}
