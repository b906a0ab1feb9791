/**
 * Records how many units each listing ever had: those that it was created with, and those that were added or taken away since,
 * but not by orders. Units of existing listings are computed from their orders.
 */
export const suppliedUnits = `
ALTER TABLE listings ADD COLUMN supplied_quantity INTEGER NOT NULL DEFAULT 0;
UPDATE listings SET supplied_quantity = available_quantity;
UPDATE listings SET supplied_quantity = supplied_quantity + ordered.units
  FROM (
    SELECT listing_id, sum(quantity) AS units FROM orders WHERE status <> 'cancelled'
    GROUP BY listing_id) AS ordered
  WHERE ordered.listing_id = listings.id;
`;
