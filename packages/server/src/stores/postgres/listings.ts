import type { Listing, ListingStore } from '@tradepost/domain/listings/listing';
import type { PostgresDatabase, Queries, Transaction } from './database';

const listingColumns = `id, seller_id AS "sellerId", agent_id AS "agentId", title,
  available_quantity AS "availableQuantity", low_threshold AS "lowThreshold",
  low_stock_notified AS "lowStockNotified", created_at AS "createdAt"`;

/** Returns the listing with this ID, or null. */
async function selectListing(db: Queries, id: string): Promise<Listing | null> {
  const row = await db.row<Listing>(`SELECT ${listingColumns} FROM listings WHERE id = $1`, id);
  return row ?? null;
}

/**
 * Returns the listing with this ID, or null. Other changes of it wait until the transaction ends; reads do not, nor the foreign
 * keys of others.
 */
export async function lockListing(tx: Transaction, id: string): Promise<Listing | null> {
  const row = await tx.row<Listing>(
    `SELECT ${listingColumns} FROM listings WHERE id = $1 FOR NO KEY UPDATE`,
    id,
  );
  return row ?? null;
}

/** Creates the store of listings. */
export function createPostgresListingStore(db: PostgresDatabase): ListingStore {
  return {
    addListing: (listing) =>
      db.write(async (tx) => {
        tx.send(
          `INSERT INTO listings (id, seller_id, agent_id, available_quantity, supplied_quantity,
             low_threshold, low_stock_notified, created_at, title)
           VALUES ($1, $2, $3, $4, $4, $5, $6, $7, $8)`,
          listing.id,
          listing.sellerId,
          listing.agentId,
          listing.availableQuantity,
          listing.lowThreshold,
          listing.lowStockNotified,
          listing.createdAt,
          listing.title,
        );
      }),

    findListing: (id) => selectListing(db, id),

    listListings: (sellerId) =>
      sellerId === undefined
        ? db.rows<Listing>(`SELECT ${listingColumns} FROM listings ORDER BY id DESC`)
        : db.rows<Listing>(
            `SELECT ${listingColumns} FROM listings WHERE seller_id = $1 ORDER BY id DESC`,
            sellerId,
          ),

    changeListing: (id, decide) =>
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
        return listing;
      }),
  };
}
