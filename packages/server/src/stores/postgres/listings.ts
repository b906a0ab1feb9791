import type { Listing, ListingStore } from '@tradepost/domain/listings/listing';
import { listingFields, listings } from '../records/tables';
import { insertAudit } from './audit';
import type { PostgresDatabase, Transaction } from './database';
import { insert } from './write-set';

/**
 * Returns the listing with this ID, or null. Other changes of it wait until the transaction ends; reads do not, nor the foreign
 * keys of others.
 */
export function lockListing(tx: Transaction, id: string): Promise<Listing | null> {
  return tx.find(listingFields, 'FROM listings WHERE id = $1 FOR NO KEY UPDATE', id);
}

/** Creates the store of listings. */
export function createPostgresListingStore(db: PostgresDatabase): ListingStore {
  return {
    addListing: (listing, audit) =>
      db.write(async (tx) => {
        insert(tx, listings, [{ ...listing, suppliedQuantity: listing.availableQuantity }]);
        insertAudit(tx, audit);
      }),

    findListing: (id) => db.find(listingFields, 'FROM listings WHERE id = $1', id),

    listListings: (sellerId) =>
      sellerId === undefined
        ? db.list(listingFields, 'FROM listings ORDER BY id DESC')
        : db.list(listingFields, 'FROM listings WHERE seller_id = $1 ORDER BY id DESC', sellerId),

    changeListing: (id, decide, audit) =>
      db.write(async (tx) => {
        const found = await lockListing(tx, id);
        const listing = decide(found);
        tx.send(
          `UPDATE listings SET agent_id = $2, low_threshold = $3, available_quantity = $4,
             low_stock_notified = $5, supplied_quantity = supplied_quantity + $6, title = $7
           WHERE id = $1`,
          id,
          listing.agentId,
          listing.lowThreshold,
          listing.availableQuantity,
          listing.lowStockNotified,
          listing.availableQuantity - (found?.availableQuantity ?? 0),
          listing.title,
        );
        insertAudit(tx, audit?.(listing));
        return listing;
      }),
  };
}
