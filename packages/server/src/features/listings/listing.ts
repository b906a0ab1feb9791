import type { CommandContext } from '../../kernel/context';
import { DomainError } from '../../kernel/errors';
import { createEvent, type DomainEvent } from '../events/event';

/** An offer: who sells it, which agent may handle it, and how many units are left. */
export interface Listing {
  /** `lst_<id>`. */
  id: string;
  sellerId: string;
  agentId: string | null;
  /** Units left to order. Never below 0. */
  availableQuantity: number;
  /** The listing is low when fewer units than this are left; null to never report it. */
  lowThreshold: number | null;
  /** Whether `listing.availability_low` was sent and the quantity has not risen above the threshold since. */
  lowStockNotified: boolean;
  /** Milliseconds since 1970. */
  createdAt: number;
}

/** Creates a listing. */
export function createListing(
  listing: Pick<Listing, 'sellerId' | 'agentId' | 'availableQuantity' | 'lowThreshold'>,
  context: CommandContext,
): Listing {
  const { availableQuantity, lowThreshold } = listing;
  // A listing that starts below its threshold does not cross it, so nothing is reported.
  const lowStockNotified = lowThreshold !== null && availableQuantity < lowThreshold;
  return { ...listing, id: context.newId('lst'), lowStockNotified, createdAt: context.now };
}

/**
 * Subtracts an order's units from a listing. `crossedLow` is true when the available quantity falls below the threshold, and
 * not again until it has risen above it.
 *
 * @throws DomainError `insufficient_quantity` if too few units are left.
 */
export function reserveUnits(
  listing: Listing,
  quantity: number,
): { listing: Listing; crossedLow: boolean } {
  const left = listing.availableQuantity - quantity;
  if (left < 0) {
    throw new DomainError(
      'insufficient_quantity',
      `Listing ${listing.id} has ${listing.availableQuantity} units left, but ${quantity} were requested. Order ${
        listing.availableQuantity === 0
          ? 'from another listing'
          : `${listing.availableQuantity} or fewer`
      }.`,
    );
  }
  const crossedLow =
    listing.lowThreshold !== null && left < listing.lowThreshold && !listing.lowStockNotified;
  return {
    listing: {
      ...listing,
      availableQuantity: left,
      lowStockNotified: listing.lowStockNotified || crossedLow,
    },
    crossedLow,
  };
}

/** Returns the units of a cancelled order to its listing. */
export function releaseUnits(listing: Listing, quantity: number): Listing {
  const availableQuantity = listing.availableQuantity + quantity;
  const risenAbove = listing.lowThreshold !== null && availableQuantity > listing.lowThreshold;
  return {
    ...listing,
    availableQuantity,
    lowStockNotified: listing.lowStockNotified && !risenAbove,
  };
}

/** Creates `listing.availability_low`, caused by an order, for the listing's seller and agent. */
export function availabilityLow(
  listing: Listing,
  orderId: string,
  context: CommandContext,
): DomainEvent {
  const threshold = listing.lowThreshold ?? 0;
  return createEvent(
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
    context,
  );
}

/** Stores listings. Orders change their quantities through `OrderStore`. */
export interface ListingStore {
  /** Adds a listing. Its seller and agent must exist. */
  addListing(listing: Listing): Promise<void>;
  /** Returns the listing with this ID, or null. */
  findListing(id: string): Promise<Listing | null>;
}
