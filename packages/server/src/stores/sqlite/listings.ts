import type { Listing, ListingStore } from '@tradepost/domain/listings/listing';
import type { SqliteDatabase } from './database';

interface ListingRow {
  id: string;
  seller_id: string;
  agent_id: string | null;
  title: string | null;
  available_quantity: number;
  low_threshold: number | null;
  low_stock_notified: number;
  created_at: number;
}

function readListing(row: ListingRow): Listing {
  return {
    id: row.id,
    sellerId: row.seller_id,
    agentId: row.agent_id,
    title: row.title,
    availableQuantity: row.available_quantity,
    lowThreshold: row.low_threshold,
    lowStockNotified: row.low_stock_notified === 1,
    createdAt: row.created_at,
  };
}

/** Returns the listing with this ID, or null. Call inside a read or a write. */
export function selectListing(db: SqliteDatabase, id: string): Listing | null {
  const row = db.get<ListingRow>('SELECT * FROM listings WHERE id = ?', id);
  return row === undefined ? null : readListing(row);
}

/** Updates a listing after an order. Call inside a write. */
export function updateListing(db: SqliteDatabase, listing: Listing): void {
  db.run(
    'UPDATE listings SET available_quantity = ?, low_stock_notified = ? WHERE id = ?',
    listing.availableQuantity,
    Number(listing.lowStockNotified),
    listing.id,
  );
}

/** Creates the store of listings. */
export function createSqliteListingStore(db: SqliteDatabase): ListingStore {
  return {
    addListing: (listing) =>
      db.write(() => {
        db.run(
          `INSERT INTO listings
             (id, seller_id, agent_id, available_quantity, low_threshold, low_stock_notified, created_at,
              supplied_quantity, title)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          listing.id,
          listing.sellerId,
          listing.agentId,
          listing.availableQuantity,
          listing.lowThreshold,
          Number(listing.lowStockNotified),
          listing.createdAt,
          listing.availableQuantity,
          listing.title,
        );
      }),
    findListing: (id) => db.read(() => selectListing(db, id)),

    listListings: (sellerId) =>
      db.read(() => {
        const rows =
          sellerId === undefined
            ? db.all<ListingRow>('SELECT * FROM listings ORDER BY id DESC')
            : db.all<ListingRow>(
                'SELECT * FROM listings WHERE seller_id = ? ORDER BY id DESC',
                sellerId,
              );
        return rows.map(readListing);
      }),

    changeListing: (id, decide) =>
      db.write(() => {
        const found = selectListing(db, id);
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
        updateListing(db, listing);
        return listing;
      }),
  };
}
