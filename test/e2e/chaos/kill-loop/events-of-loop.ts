import type { BookedEvent, BookedOrder, Books } from './recorded-state';
import type { World } from './seed-data';

/** An event that the loop caused, and the accounts that it is for. */
export interface EventOfOrder {
  event: BookedEvent;
  /** An order's parties; of a listing that runs low, its seller and agent. */
  recipients: string[];
}

function recipientsOf({ kind }: BookedEvent, order: BookedOrder): string[] {
  const { buyerId, sellerId, agentId } = order;
  const parties = kind === 'listing.availability_low' ? [sellerId] : [buyerId, sellerId];
  return agentId === null ? parties : [...parties, agentId];
}

/** The events in the books that the loop caused: not those of the orders that were there before. */
export function eventsOfLoop({ firstOrders }: World, books: Books): EventOfOrder[] {
  const orders = new Map(books.orders.map((order) => [order.id, order]));
  return books.events.flatMap((event) => {
    const order = orders.get(event.orderId);
    if (order === undefined || firstOrders.has(order.id)) return [];
    return [{ event, recipients: recipientsOf(event, order) }];
  });
}
