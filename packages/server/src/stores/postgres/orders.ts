import { orderStatuses } from '@tradepost/contract/wire';
import type { DomainEvent } from '@tradepost/domain/events/event';
import type { CommandContext } from '@tradepost/domain/kernel/context';
import { missingRecord } from '@tradepost/domain/kernel/errors';
import type { PageKey } from '@tradepost/domain/kernel/pagination';
import type { Order, OrderContext } from '@tradepost/domain/orders/order';
import {
  defaultSort,
  endBefore,
  getSortTime,
  isNewestFirst,
  needsSearch,
  simplifyFilter,
} from '@tradepost/domain/orders/order-list';
import type { OrderStore } from '@tradepost/domain/orders/order-store';
import { NumberedConditions } from '../conditions';
import {
  findOrders,
  getRest,
  listRanges,
  type OrderQuery,
  type OrderRange,
  type OrderReader,
} from '../order-search';
import { addBounds } from '../page-bounds';
import {
  listingFields,
  orders,
  orderUpdate,
  partyColumns,
  stockUpdate,
  tasks,
  taskUpdate,
  timeColumns,
} from '../records/tables';
import { SearchScheduler } from '../search-scheduler';
import type { PostgresDatabase, Transaction } from './database';
import {
  accountsWithSubscriptions,
  addEvents,
  areCommitted,
  type Subscription,
  type Subscriptions,
  subscriptionsOf,
} from './events';
import { findFinalTime } from './final-time';
import { writeIdempotent } from './idempotency';
import { lockListing } from './listings';
import { WriteSet } from './write-set';

/** An account or a listing. */
interface NamedRow {
  id: string;
  name: string | null;
}

/** What a decision about an order depends on, and the probable recipients of its events. */
interface FoundOrder {
  context: OrderContext;
  recipients: Subscriptions;
}

const ofOrder = orders.as('order');
const ofListing = listingFields.as('listing');
const ofTask = tasks.as('task');

/** An order, its listing, its open task, and the subscriptions of those who take part in it. */
interface FoundRow {
  'order.version': number;
  /** The version when the statement started. It may have waited for the lock. */
  seenVersion: number;
  /** Null if there is no listing, which is a fault. */
  'listing.id': string | null;
  /** Null if there is no open task. */
  'task.id': string | null;
  subscriptions: Subscription[];
}

const lockOrderContext = `SELECT ${ofOrder.select}, ${ofListing.select}, ${ofTask.select},
    (SELECT seen.version FROM orders AS seen WHERE seen.id = $1) AS "seenVersion",
    ${subscriptionsOf(
      'orders.buyer_id, orders.seller_id, orders.agent_id, listings.seller_id, listings.agent_id',
    )} AS subscriptions
  FROM orders LEFT JOIN listings ON listings.id = orders.listing_id
  LEFT JOIN tasks ON tasks.order_id = orders.id AND tasks.completed_at IS NULL
  WHERE orders.id = $1 FOR NO KEY UPDATE OF orders`;

/**
 * Locks an order, and reads what a decision about it depends on. Its listing is locked only on request: most changes leave it as
 * it is, and many orders share it.
 */
async function selectOrderContext(tx: Transaction, id: string): Promise<FoundOrder | null> {
  let row = await tx.row<FoundRow>(lockOrderContext, id);
  // The order was changed while the statement waited for its lock, and perhaps its task, which the statement saw as it was before.
  if (row !== undefined && row['order.version'] !== row.seenVersion) {
    row = await tx.row<FoundRow>(lockOrderContext, id);
  }
  if (row === undefined) return null;
  const order = ofOrder.pick(row);
  if (row['listing.id'] === null) throw new Error(`Order ${id} has no listing ${order.listingId}.`);
  const listing = ofListing.pick(row);
  const task = row['task.id'] === null ? null : ofTask.pick(row);
  const parties = [order.buyerId, order.sellerId, order.agentId, listing.sellerId, listing.agentId];
  const accountIds = parties.filter((accountId) => accountId !== null);
  return {
    context: { order, listing, task },
    recipients: { accountIds, subscriptions: row.subscriptions },
  };
}

const recipientsOfListing = accountsWithSubscriptions(
  'SELECT unnest(ARRAY[seller_id, agent_id, $2]) FROM listings WHERE id = $1',
);
const noRecipients: Subscriptions = { accountIds: [], subscriptions: [] };

function orderBy({ by, newestFirst }: Pick<OrderRange, 'by' | 'newestFirst'>): string {
  const direction = newestFirst ? 'DESC' : 'ASC';
  return `ORDER BY ${timeColumns[by]} ${direction}, id ${direction}`;
}

const orderBySort = ({ sort }: OrderQuery) =>
  orderBy({ by: getSortTime(sort), newestFirst: isNewestFirst(sort) });

function addRange(conditions: NumberedConditions, range: OrderRange): NumberedConditions {
  conditions.add(`${partyColumns[range.role]} = ?`, range.accountId);
  if (range.status !== null) conditions.add('status = ?', range.status);
  return conditions.addScan(timeColumns[range.by], range);
}

/** Lists the first orders of a page that needs no search, by one range of one index for each status. */
function selectPage(db: PostgresDatabase, query: OrderQuery): Promise<Order[]> {
  const ranges = listRanges(query);
  const [range] = ranges;
  if (range === undefined) return Promise.resolve([]);
  const conditions = new NumberedConditions();
  if (ranges.length === 1) {
    addRange(conditions, range);
    return db.list(
      orders,
      `FROM orders WHERE ${conditions.sql}
       ${orderBySort(query)} LIMIT ${conditions.bind(query.limit)}`,
      ...conditions.values,
    );
  }
  addRange(conditions, { ...range, status: null });
  const statuses = conditions.bind(ranges.map(({ status }) => status));
  const most = conditions.bind(query.limit);
  return db.list(
    orders,
    `FROM unnest(${statuses}::text[]) AS s (wanted) CROSS JOIN LATERAL (
       SELECT * FROM orders WHERE orders.status = s.wanted AND ${conditions.sql}
       ${orderBySort(query)} LIMIT ${most}) AS orders
     ${orderBySort(query)} LIMIT ${most}`,
    ...conditions.values,
  );
}

/** Adds all filters, also those that exclude nothing, so that there is one statement. */
function addFilters(conditions: NumberedConditions, query: OrderQuery): NumberedConditions {
  const { caller, filter, sort } = query;
  const { statuses = orderStatuses, buyerId = null, listingId = null } = filter;
  const { createdAfter = -1, createdBefore = Number.MAX_SAFE_INTEGER } = filter;
  const { updatedAfter = -1, updatedBefore = Number.MAX_SAFE_INTEGER } = filter;
  return conditions
    .add(`${partyColumns[caller.kind]} = ?`, caller.accountId)
    .add('status = ANY (?::text[])', statuses)
    .add('(?::text IS NULL OR buyer_id = ?::text)', buyerId, buyerId)
    .add('(?::text IS NULL OR listing_id = ?::text)', listingId, listingId)
    .add('created_at > ?::bigint', createdAfter)
    .add('created_at < ?::bigint', createdBefore)
    .add('updated_at > ?::bigint', updatedAfter)
    .add('updated_at < ?::bigint', updatedBefore)
    .addScan(timeColumns[getSortTime(sort)], getRest(query));
}

function createReader(db: PostgresDatabase): OrderReader {
  return {
    select(ranges, query, limit) {
      const values: unknown[] = [];
      const parts = ranges.map((range) => {
        const conditions = addRange(new NumberedConditions(values), {
          ...range,
          ...addBounds(range),
        });
        // OFFSET 0 keeps the filters outside, so that none of them changes which index is used.
        return `(SELECT * FROM orders WHERE ${conditions.sql} ${orderBy(range)} OFFSET 0)`;
      });
      const filters = addFilters(new NumberedConditions(values), query);
      return db.list(
        orders,
        `FROM (${parts.join(' UNION ALL ')}) AS orders
         WHERE ${filters.sql} ${orderBySort(query)} LIMIT ${filters.bind(limit)}`,
        ...values,
      );
    },

    async findKey(range, place) {
      const conditions = addRange(new NumberedConditions(), { ...range, ...addBounds(range) });
      const key = await db.row<PageKey>(
        `SELECT ${timeColumns[range.by]} AS "createdAt", id FROM orders WHERE ${conditions.sql}
         ${orderBy(range)} LIMIT 1 OFFSET ${conditions.bind(place - 1)}::bigint`,
        ...conditions.values,
      );
      return key ?? null;
    },
  };
}

/** Returns the context of a change with the time that the database says. */
async function takeTime(tx: Transaction, context: CommandContext): Promise<CommandContext> {
  const time = await tx.time;
  return time === null ? context : (context.at?.(time) ?? context);
}

/** Creates the order store. `notify` is called with the events of a change and its number of deliveries, after the commit. */
export function createPostgresOrderStore(
  db: PostgresDatabase,
  notify: (events: DomainEvent[], queued: number) => void,
): OrderStore {
  const reader = createReader(db);
  const scheduler = new SearchScheduler();
  return {
    async placeOrder({ listingId, buyerId, idempotencyKey, context }, decide) {
      let written: [DomainEvent[], number] = [[], 0];
      const result = await writeIdempotent(
        db,
        idempotencyKey,
        context.now,
        async (tx) => {
          const [listing, recipients] = await Promise.all([
            lockListing(tx, listingId),
            tx.row<Subscriptions>(recipientsOfListing, listingId, buyerId ?? null),
          ]);
          const at = await takeTime(tx, context);
          const { change, response } = decide(listing, at);
          const writes = new WriteSet();
          writes.insert(orders, [change.order]);
          if (change.task !== null) writes.insert(tasks, [change.task]);
          writes.update(stockUpdate, change.listing);
          const known = recipients ?? noRecipients;
          const queued = await addEvents(tx, writes, change.events, known, at);
          writes.send(tx);
          written = [change.events, queued];
          return { response };
        },
        { takesTime: true },
      );
      if (!result.replayed) notify(...written);
      return result;
    },

    async changeOrder(id, context, decide) {
      let written: [DomainEvent[], number] = [[], 0];
      // What the last run wrote, which may have been committed although the connection broke.
      let last: Order | null = null;
      const result = await db.write(
        async (tx) => {
          const read = await selectOrderContext(tx, id);
          const found = read?.context ?? null;
          // With the order's lock: an interrupted commit that is still in progress has it until its end.
          if (last !== null && (await areCommitted(tx, written[0]))) {
            return { order: last, changed: true };
          }
          last = null;
          written = [[], 0];
          const at = await takeTime(tx, context);
          let change = decide(found, at);
          if (change === null) {
            if (found === null) throw missingRecord('Order', id);
            return { order: found.order, changed: false };
          }
          const writes = new WriteSet();
          if (found !== null && change.listing !== found.listing) {
            const listing = await lockListing(tx, found.listing.id);
            change = decide({ ...found, listing: listing ?? found.listing }, at) ?? change;
            writes.update(stockUpdate, change.listing);
          }
          writes.update(orderUpdate, change.order);
          if (change.task !== null) writes.update(taskUpdate, change.task);
          const known = read?.recipients ?? noRecipients;
          const queued = await addEvents(tx, writes, change.events, known, at);
          writes.send(tx);
          written = [change.events, queued];
          last = change.order;
          return { order: last, changed: true };
        },
        // A second run finds what the first one committed.
        { isRepeatable: true, takesTime: true },
      );
      notify(...written);
      return result;
    },

    findOrder: (id) => db.find(orders, 'FROM orders WHERE id = $1', id),

    async findNames(accountIds, listingIds) {
      const rows = await db.rows<NamedRow>(
        `SELECT id, name FROM accounts WHERE id = ANY ($1::text[])
         UNION ALL SELECT id, title FROM listings WHERE id = ANY ($2::text[])`,
        accountIds,
        listingIds,
      );
      return new Map(rows.map(({ id, name }) => [id, name]));
    },

    async listOrders(caller, wanted, { sort = defaultSort, isFinal, ...page }, signal) {
      const polled = (['updatedAfter', 'createdAfter'] as const).find((name) => name in wanted);
      const filter = isFinal
        ? endBefore(wanted, sort, await findFinalTime(db, polled ?? null))
        : wanted;
      const simple = simplifyFilter(caller, filter);
      if (simple === null) return [];
      const query = { caller, filter: simple, sort, ...page };
      if (!needsSearch(simple, sort)) return selectPage(db, query);
      const search = findOrders(reader, query);
      return scheduler.run(caller.accountId, () => search.next(), signal);
    },
  };
}
