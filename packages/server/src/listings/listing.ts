import { DomainError } from '../domain-error';
import type { Moment } from '../moment';

/** Something on sale: who sells it, who may handle it as an agent, and how much of it is left. */
export interface Listing {
  /** `lst_<id>`. */
  id: string;
  sellerId: string;
  agentId: string | null;
  /** Units left to order. Never below 0. */
  availableQuantity: number;
  /** Below this many units left, the listing is low; null when nobody wants to know. */
  lowThreshold: number | null;
  /** Whether its being low was told, and it has not risen above the threshold since. */
  lowTold: boolean;
  /** Milliseconds since 1970. */
  createdAt: number;
}

/** A new listing. */
export function createListing(
  listing: Pick<Listing, 'sellerId' | 'agentId' | 'availableQuantity' | 'lowThreshold'>,
  moment: Moment,
): Listing {
  const { availableQuantity, lowThreshold } = listing;
  // One that starts low is low from the start: it did not cross its threshold.
  const lowTold = lowThreshold !== null && availableQuantity < lowThreshold;
  return { ...listing, id: moment.newId('lst'), lowTold, createdAt: moment.now };
}

/**
 * Takes an order's units from a listing. `crossedLow` is true when the available quantity crosses
 * below the threshold, and not again before it has risen above it.
 *
 * @throws DomainError `insufficient_quantity` when too little is left.
 */
export function takeUnits(
  listing: Listing,
  quantity: number,
): { listing: Listing; crossedLow: boolean } {
  const left = listing.availableQuantity - quantity;
  if (left < 0) {
    throw new DomainError(
      'insufficient_quantity',
      `Listing ${listing.id} has ${listing.availableQuantity} left, ${quantity} were asked for. Order ${
        listing.availableQuantity === 0
          ? 'from another listing'
          : `${listing.availableQuantity} or fewer`
      }.`,
    );
  }
  const crossedLow =
    listing.lowThreshold !== null && left < listing.lowThreshold && !listing.lowTold;
  return {
    listing: { ...listing, availableQuantity: left, lowTold: listing.lowTold || crossedLow },
    crossedLow,
  };
}

/** Gives a cancelled order's units back to its listing. */
export function giveBackUnits(listing: Listing, quantity: number): Listing {
  const availableQuantity = listing.availableQuantity + quantity;
  const risenAbove = listing.lowThreshold !== null && availableQuantity > listing.lowThreshold;
  return { ...listing, availableQuantity, lowTold: listing.lowTold && !risenAbove };
}
