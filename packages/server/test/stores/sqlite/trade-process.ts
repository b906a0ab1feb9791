import { once } from 'node:events';
import { DomainError } from '@tradepost/domain/kernel/errors';
import { aCaller } from '@tradepost/domain/test/builders';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { place } from '../../helpers/trade';

// A process that orders from one listing, unit by unit, until it is sold out, and prints how many it got.
const [file, listingId, buyerId] = process.argv.slice(2);
if (!(file && listingId && buyerId))
  throw new Error('name the database, the listing and the buyer');
const store = openSqliteStore(file);
const listing = await store.listings.findListing(listingId);
if (listing === null) throw new Error('there is no such listing');
console.log('ready');
await once(process.stdin, 'data');
let placed = 0;
for (let soldOut = false; !soldOut; ) {
  try {
    await place(store, aCaller({ accountId: buyerId }), { listing, quantity: 1 });
    placed += 1;
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'insufficient_quantity')) throw error;
    soldOut = true;
  }
}
await store.close();
console.log(placed);
process.exit();
