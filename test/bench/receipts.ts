import { setTimeout } from 'node:timers/promises';
import type { OwnProcess } from './own-process';
import type { Arrival, ReceiverVerbs } from './receiver-process';

/** When an order was asked for and when that was answered. Machine time. */
export interface OrderTimes {
  sent: number;
  answered: number;
}

/** How long it took from two moments to a delivery's arrival, in milliseconds. */
export interface Receipt {
  fromSent: number;
  /** Below zero when the delivery came before the answer did. */
  fromAnswered: number;
}

const pause = 50;

function receiptsOf(
  arrivals: readonly Arrival[],
  orders: ReadonlyMap<string, OrderTimes>,
): Receipt[] {
  const receipts: Receipt[] = [];
  for (const { orderId, at } of arrivals) {
    const times = orders.get(orderId);
    // What was ordered to warm up may arrive late.
    if (times === undefined) continue;
    receipts.push({ fromSent: at - times.sent, fromAnswered: at - times.answered });
  }
  return receipts;
}

/**
 * Waits until what was ordered has arrived at every endpoint, or until patience ends.
 *
 * @param perOrder Deliveries that each order has.
 * @param patience Milliseconds.
 */
export async function collectReceipts(
  receiver: OwnProcess<ReceiverVerbs>,
  orders: ReadonlyMap<string, OrderTimes>,
  perOrder: number,
  patience: number,
): Promise<{ receipts: Receipt[]; missing: number }> {
  const expected = orders.size * perOrder;
  for (let waited = 0; ; waited += pause) {
    const isOver = waited >= patience;
    const { arrived } = await receiver.ask('counted', null);
    if (isOver || arrived >= expected) {
      const receipts = receiptsOf(await receiver.ask('kept', null), orders);
      const missing = Math.max(0, expected - receipts.length);
      if (isOver || missing === 0) return { receipts, missing };
    }
    await setTimeout(pause);
  }
}
