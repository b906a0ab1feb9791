import type { Order } from '@tradepost/domain/orders/order';
import { listPartnerships, type PartnerStore } from '@tradepost/domain/partners/partner';
import { afterAll, findPartners, type ReadPartners } from '../partner-search';
import { accounts, partners } from '../records/tables';
import { SearchScheduler } from '../search-scheduler';
import type { PostgresDatabase, Transaction } from './database';
import type { WriteSet } from './write-set';

/** About how many parties of orders are remembered for each connection: some hundred kilobytes. */
const maxRemembered = 2_000;

/** The parties of orders that were committed on a connection. */
interface Remembered {
  /** The history of the database that has them: after a failover, the latest commits may be lost. */
  timeline: string | null;
  parties: Set<string>;
}

const remembered = new WeakMap<object, Remembered>();

/**
 * Returns what is remembered for the connection of a transaction. Behind a pooler it survives a failover, so it is forgotten when it
 * leads to another timeline. Where that is unknown, nothing is remembered.
 */
function recall({ connection, timeline }: Pick<Transaction, 'connection' | 'timeline'>) {
  const known = remembered.get(connection);
  if (timeline !== null && known?.timeline === timeline) return known.parties;
  const parties = new Set<string>();
  remembered.set(connection, { timeline, parties });
  return parties;
}

const nameParties = ({ buyerId, sellerId, agentId }: Order) => `${buyerId} ${sellerId} ${agentId}`;

/**
 * Adds the insert of partners that the accounts of new orders may not have yet. Most orders add nothing, because the same parties
 * trade again.
 *
 * @returns A function to call after the commit.
 */
export function addPartners(
  tx: Transaction,
  writes: WriteSet,
  orders: readonly Order[],
): () => void {
  const known = recall(tx);
  const added = new Map(
    orders
      .map((order) => [nameParties(order), order] as const)
      .filter(([name]) => !known.has(name)),
  );
  if (added.size === 0) return () => {};
  const rows = new Map(
    [...added.values()]
      .flatMap(listPartnerships)
      .map((row) => [`${row.accountId} ${row.partnerId}`, row]),
  );
  // In one order, so that two transactions that add the same rows do not wait for each other.
  const sorted = [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
  writes.add(`${partners.insertJson(writes.bindRows(sorted))} ON CONFLICT DO NOTHING`);
  return () => {
    if (known.size > maxRemembered) known.clear();
    for (const name of added.keys()) known.add(name);
  };
}

/** Creates the store of partners. */
export function createPostgresPartnerStore(db: PostgresDatabase): PartnerStore {
  const scheduler = new SearchScheduler();
  return {
    async listPartners(accountId, name, page, signal) {
      // The page is cut before the join, so that no plan sorts all partners.
      const read: ReadPartners = (after, limit) =>
        db.list(
          accounts,
          `FROM (
             SELECT partner_id FROM partners WHERE account_id = $1 AND partner_id < $2
             ORDER BY partner_id DESC LIMIT $3) AS page
           JOIN accounts ON accounts.id = page.partner_id ORDER BY page.partner_id DESC`,
          accountId,
          after?.id ?? afterAll,
          limit,
        );
      if (name === undefined) return read(page.after, page.limit);
      const search = findPartners(read, name, page);
      return scheduler.run(accountId, () => search.next(), signal);
    },
  };
}
