import type { CreateOrder } from '@tradepost/contract';
import type { Caller } from '../accounts/account';
import { DomainError } from '../domain-error';
import type { DomainEvent } from '../events/domain-event';
import { type Listing, takeUnits } from '../listings/listing';
import { availabilityLow } from '../listings/listing-events';
import type { Moment } from '../moment';
import { openTask } from '../tasks/task';
import { approvalRequested } from '../tasks/task-events';
import { type Order, partiesOf } from './order';
import type { OrderChange } from './order-change';
import { orderCreated } from './order-events';

/**
 * A buyer's order from a listing: it starts `pending`, takes its seller and agent from the listing,
 * and with an agent opens an approval task.
 *
 * @param listing The listing that the request names, or null when there is none.
 * @throws DomainError `listing_not_found`, `insufficient_quantity`.
 */
export function placeOrder(
  caller: Caller,
  request: CreateOrder,
  listing: Listing | null,
  moment: Moment,
): OrderChange {
  if (listing === null) {
    throw new DomainError(
      'listing_not_found',
      `There is no listing ${request.listingId}. Check the id; listings are made by their sellers.`,
      [{ path: 'listingId', message: 'names no listing' }],
    );
  }
  const taken = takeUnits(listing, request.quantity);
  const order: Order = {
    id: moment.newId('ord'),
    status: 'pending',
    buyerId: caller.accountId,
    sellerId: listing.sellerId,
    agentId: listing.agentId,
    listingId: listing.id,
    quantity: request.quantity,
    version: 1,
    createdAt: moment.now,
    updatedAt: moment.now,
  };
  const task = order.agentId === null ? null : openTask(order.id, order.agentId, moment);
  const events: DomainEvent[] = [orderCreated(order, moment)];
  if (task !== null) events.push(approvalRequested(task, partiesOf(order), moment));
  if (taken.crossedLow) events.push(availabilityLow(taken.listing, order.id, moment));
  return { order, listing: taken.listing, task, events };
}
