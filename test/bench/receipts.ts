import { setTimeout } from 'node:timers/promises';
import type { ApiClient } from './api-client';
import type { BenchProcess } from './bench-process';
import { machineTime, openLoop } from './loops';
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
  /** When it arrived. Machine time. */
  at: number;
}

/** The receipts of some orders. */
export interface Receipts {
  receipts: Receipt[];
  /** The number of deliveries that had not arrived at the timeout. */
  missing: number;
}

const pause = 50;

/** Creates orders at a steady rate, in an open loop. Returns the times of each, by its ID. */
export async function orderSteadily(
  api: ApiClient,
  perSecond: number,
  seconds: number,
): Promise<Map<string, OrderTimes>> {
  const times = new Map<string, OrderTimes>();
  await openLoop({ perSecond, seconds }, async () => {
    const sentAt = machineTime();
    const id = await api.createOrder();
    times.set(id, { sentAt, respondedAt: machineTime() });
  });
  return times;
}

function toReceipts(
  arrivals: readonly Arrival[],
  orders: ReadonlyMap<string, OrderTimes>,
): Receipt[] {
  const receipts: Receipt[] = [];
  for (const { orderId, at } of arrivals) {
    const times = orders.get(orderId);
    // Deliveries of the warm-up may arrive late.
    if (times === undefined) continue;
    receipts.push({
      sinceSent: at - times.sentAt,
      sinceResponse: at - times.respondedAt,
      at,
    });
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
): Promise<Receipts> {
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

/** Lists the milliseconds from request to receipt. A delivery that did not arrive counts as the timeout, at least. */
export function listDurations({ receipts, missing }: Receipts, timeoutMs: number): number[] {
  return [...receipts.map(({ sinceSent }) => sinceSent), ...Array<number>(missing).fill(timeoutMs)];
}

/** Explains, in a note for a figure, how deliveries were counted that did not arrive. There is no note if all arrived. */
export function explainMissing(
  side: string,
  rounds: readonly Pick<Receipts, 'missing'>[],
  timeoutMs: number,
): string[] {
  const missing = rounds.map((round) => round.missing);
  if (missing.every((count) => count === 0)) return [];
  const seconds = timeoutMs / 1000;
  return [
    `Not arrived ${seconds} s after the last order, ${side}: ${missing.join(', ')} deliveries in the rounds. Each counts as ${seconds} s.`,
  ];
}
