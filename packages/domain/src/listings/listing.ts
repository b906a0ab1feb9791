import type { AuditEntry } from '../audit/audit-log';
import { createEvent, type DomainEvent } from '../events/event';
import type { CommandContext } from '../kernel/context';
import { DomainError, formatCount } from '../kernel/errors';

/** An offer: who sells it, which agent may handle it, and how many units are left. */
export interface Listing {
  /** `lst_<id>`. */
  id: string;
  sellerId: string;
  agentId: string | null;
  /** What it offers, for people; null for none. */
  title: string | null;
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
  listing: Pick<Listing, 'sellerId' | 'agentId' | 'availableQuantity' | 'lowThreshold'> &
    Partial<Pick<Listing, 'title'>>,
  context: CommandContext,
): Listing {
  const { availableQuantity, lowThreshold } = listing;
  // A listing that starts below its threshold does not cross it, so nothing is reported.
  const lowStockNotified = lowThreshold !== null && availableQuantity < lowThreshold;
  const { title = null } = listing;
  return { ...listing, title, id: context.newId('lst'), lowStockNotified, createdAt: context.now };
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
      `Listing ${listing.id} has ${formatCount(listing.availableQuantity, 'unit')} left, but ${quantity} ${quantity === 1 ? 'was' : 'were'} requested. Order ${
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
      // It is about the listing; the order only caused it.
      orderVersion: null,
      recipients: [listing.sellerId, listing.agentId],
      message: `Order ${orderId} is pending and left listing ${listing.id} with ${listing.availableQuantity} available, below its threshold of ${threshold}.`,
    },
    context,
  );
}

/** A change of a listing by its operator. What is left out stays as it is. */
export interface ListingChanges {
  /** The new available quantity. */
  availableQuantity?: number;
  /** Units to add to the available quantity. */
  addedUnits?: number;
  lowThreshold?: number | null;
  /** The agent of future orders. Existing orders keep theirs. */
  agentId?: string | null;
  title?: string | null;
}

/**
 * Changes a listing. Nothing is reported if that leaves fewer units than the threshold, because no order caused it: the event
 * is sent when the quantity falls below the threshold again after it has risen above it.
 */
export function updateListing(listing: Listing, changes: ListingChanges): Listing {
  const { agentId = listing.agentId, lowThreshold = listing.lowThreshold } = changes;
  const { title = listing.title } = changes;
  const { availableQuantity: base = listing.availableQuantity, addedUnits = 0 } = changes;
  const availableQuantity = base + addedUnits;
  const changed = { ...listing, agentId, title, lowThreshold, availableQuantity };
  if (lowThreshold === null) return { ...changed, lowStockNotified: false };
  if (availableQuantity === lowThreshold) return changed;
  return { ...changed, lowStockNotified: availableQuantity < lowThreshold };
}

/** Stores listings. Orders change their quantities through `OrderStore`. */
export interface ListingStore {
  /** Adds a listing. Its seller and agent must exist. */
  addListing(listing: Listing, audit?: AuditEntry): Promise<void>;
  /** Returns the listing with this ID, or null. */
  findListing(id: string): Promise<Listing | null>;
  /** Lists the listings of one seller, or of all sellers, newest first. */
  listListings(sellerId?: string): Promise<Listing[]>;
  /**
   * Changes a listing. `decide` receives the listing, or null if there is none; it must be pure, may be called again, and
   * throws to reject. Its agent must exist.
   */
  changeListing(
    id: string,
    decide: (found: Listing | null) => Listing,
    audit?: (listing: Listing) => AuditEntry,
  ): Promise<Listing>;
}
