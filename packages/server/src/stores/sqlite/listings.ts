import type { ListingStore } from '@tradepost/domain/listings/listing';
import { listingFields, listings, stockUpdate } from '../records/tables';
import { insertAudit } from './audit';
import type { SqliteDatabase } from './database';

/** Creates the store of listings. */
export function createSqliteListingStore(db: SqliteDatabase): ListingStore {
  const selectListing = (id: string) => db.find(listingFields, 'FROM listings WHERE id = ?', id);
  return {
    addListing: (listing, audit) =>
      db.write(() => {
        db.insert(listings, { ...listing, suppliedQuantity: listing.availableQuantity });
        insertAudit(db, audit);
      }),

    findListing: (id) => db.read(() => selectListing(id)),

    listListings: (sellerId) =>
      db.read(() =>
        sellerId === undefined
          ? db.list(listingFields, 'FROM listings ORDER BY id DESC')
          : db.list(listingFields, 'FROM listings WHERE seller_id = ? ORDER BY id DESC', sellerId),
      ),

    changeListing: (id, decide, audit) =>
      db.write(() => {
        const found = selectListing(id);
        const listing = decide(found);
        db.run(
          `UPDATE listings SET agent_id = ?, title = ?, low_threshold = ?,
             supplied_quantity = supplied_quantity + ?
           WHERE id = ?`,
          listing.agentId,
          listing.title,
          listing.lowThreshold,
          listing.availableQuantity - (found?.availableQuantity ?? 0),
          id,
        );
        db.update(stockUpdate, listing);
        insertAudit(db, audit?.(listing));
        return listing;
      }),
  };
}
