import type { RecordedEvent, RecordedOrder, RecordedState } from './recorded-state';
import type { SeedData } from './seed-data';

/** An event that the loop caused, and the accounts that receive it. */
export interface LoopEvent {
  event: RecordedEvent;
  /** The order's parties; for a listing with low availability, its seller and agent. */
  recipients: string[];
}

function listRecipients({ type }: RecordedEvent, order: RecordedOrder): string[] {
  const { buyerId, sellerId, agentId } = order;
  const parties = type === 'listing.availability_low' ? [sellerId] : [buyerId, sellerId];
  return agentId === null ? parties : [...parties, agentId];
}

/** Returns the recorded events that the loop caused, without those of the seeded orders. */
export function listLoopEvents({ seededOrders }: SeedData, state: RecordedState): LoopEvent[] {
  const orders = new Map(state.orders.map((order) => [order.id, order]));
  return state.events.flatMap((event) => {
    const order = orders.get(event.orderId);
    if (order === undefined || seededOrders.has(order.id)) return [];
    return [{ event, recipients: listRecipients(event, order) }];
  });
}
