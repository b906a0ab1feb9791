import type { Listing } from './listing';

/** Where listings are kept. Orders change their quantities, through `OrderStore`. */
export interface ListingStore {
  /** Adds a listing. Its seller and agent must exist. */
  addListing(listing: Listing): Promise<void>;
  /** The listing with this id, or null. */
  findListing(id: string): Promise<Listing | null>;
}
