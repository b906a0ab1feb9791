import { type DomainEvent, newEvent } from '../events/domain-event';
import type { Moment } from '../moment';
import type { Listing } from './listing';

/** `listing.availability_low`, caused by an order, for the listing's seller and agent. */
export function availabilityLow(listing: Listing, orderId: string, moment: Moment): DomainEvent {
  const threshold = listing.lowThreshold ?? 0;
  return newEvent(
    {
      event: 'listing.availability_low',
      data: {
        listingId: listing.id,
        sellerId: listing.sellerId,
        availableQuantity: listing.availableQuantity,
        threshold,
      },
    },
    {
      orderId,
      recipients: [listing.sellerId, listing.agentId],
      message: `Order ${orderId} is pending and left listing ${listing.id} with ${listing.availableQuantity} available, below its threshold of ${threshold}.`,
    },
    moment,
  );
}
