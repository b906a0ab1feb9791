import type { Order } from '@tradepost/domain/orders/order';
import { listPartnerships, type PartnerStore } from '@tradepost/domain/partners/partner';
import { afterAll, findPartners, type ReadPartners } from '../partner-search';
import { accounts, partners } from '../records/tables';
import { SearchScheduler } from '../search-scheduler';
import type { SqliteDatabase } from './database';

/** Inserts with whom the accounts of a new order trade, unless that is known. Call inside a write. */
export function insertPartners(db: SqliteDatabase, order: Order): void {
  const rows = listPartnerships(order);
  const places = rows.map(() => partners.places).join(', ');
  db.run(
    `${partners.insertRows} ${places} ON CONFLICT DO NOTHING`,
    rows.flatMap((row) => partners.write(row)),
  );
}

/** Creates the store of partners. */
export function createSqlitePartnerStore(db: SqliteDatabase): PartnerStore {
  const scheduler = new SearchScheduler();
  return {
    async listPartners(accountId, name, page, signal) {
      const read: ReadPartners = (after, limit) =>
        db.read(() =>
          db.list(
            accounts,
            `FROM partners CROSS JOIN accounts ON accounts.id = partners.partner_id
             WHERE partners.account_id = ? AND partners.partner_id < ? ORDER BY partners.partner_id DESC LIMIT ?`,
            accountId,
            after?.id ?? afterAll,
            limit,
          ),
        );
      if (name === undefined) return read(page.after, page.limit);
      const search = findPartners(read, name, page);
      return scheduler.run(accountId, () => search.next(), signal);
    },
  };
}
