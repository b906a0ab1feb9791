import { orderStatuses } from '@tradepost/contract/wire';
import type { DomainEvent } from '@tradepost/domain/events/event';
import type { IdempotentResult, StoredResponse } from '@tradepost/domain/kernel/idempotency';
import type { PageKey } from '@tradepost/domain/kernel/pagination';
import type { Order } from '@tradepost/domain/orders/order';
import {
  defaultSort,
  endBefore,
  getCountSort,
  getSortTime,
  isNewestFirst,
  needsSearch,
  simplifyFilter,
} from '@tradepost/domain/orders/order-list';
import type { ChangedOrder, OrderStore } from '@tradepost/domain/orders/order-store';
import { NumberedConditions } from '../conditions';
import {
  countIndexed,
  countOrders,
  defaultStepSize,
  findOrders,
  getRest,
  listRanges,
  type OrderQuery,
  type OrderRange,
  type OrderReader,
} from '../order-search';
import { addBounds } from '../page-bounds';
import { orders, partyColumns, timeColumns } from '../records/tables';
import { SearchScheduler } from '../search-scheduler';
import type { PostgresDatabase } from './database';
import { findFinalTime } from './final-time';
import type { GroupCommit, Traced, WriteGroup } from './group-commit';
import {
  listingRow,
  type OrderChange,
  orderRow,
  type Placement,
  type Written,
  writeOrders,
} from './order-group';

/** An account or a listing. */
interface NamedRow {
  id: string;
  name: string | null;
}

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
  const { statuses = orderStatuses, buyerId = null, sellerId = null, listingId = null } = filter;
  const { minQuantity = 0, maxQuantity = Number.MAX_SAFE_INTEGER } = filter;
  const { createdAfter = -1, createdBefore = Number.MAX_SAFE_INTEGER } = filter;
  const { updatedAfter = -1, updatedBefore = Number.MAX_SAFE_INTEGER } = filter;
  return conditions
    .add(`${partyColumns[caller.kind]} = ?`, caller.accountId)
    .add('status = ANY (?::text[])', statuses)
    .add('(?::text IS NULL OR buyer_id = ?::text)', buyerId, buyerId)
    .add('(?::text IS NULL OR seller_id = ?::text)', sellerId, sellerId)
    .add('(?::text IS NULL OR listing_id = ?::text)', listingId, listingId)
    .add('quantity BETWEEN ?::bigint AND ?::bigint', minQuantity, maxQuantity)
    .add('created_at > ?::bigint', createdAfter)
    .add('created_at < ?::bigint', createdBefore)
    .add('updated_at > ?::bigint', updatedAfter)
    .add('updated_at < ?::bigint', updatedBefore)
    .addScan(timeColumns[getSortTime(sort)], getRest(query));
}

/** Returns what follows the select list of the orders in some ranges that match a query, without a limit. */
function fromRanges(ranges: OrderRange[], query: OrderQuery) {
  const values: unknown[] = [];
  const parts = ranges.map((range) => {
    const conditions = addRange(new NumberedConditions(values), { ...range, ...addBounds(range) });
    // OFFSET 0 keeps the filters outside, so that none of them changes which index is used.
    return `(SELECT * FROM orders WHERE ${conditions.sql} ${orderBy(range)} OFFSET 0)`;
  });
  const conditions = addFilters(new NumberedConditions(values), query);
  const sql = `FROM (${parts.join(' UNION ALL ')}) AS orders WHERE ${conditions.sql}`;
  return { sql, conditions };
}

async function count(
  db: PostgresDatabase,
  from: string,
  conditions: NumberedConditions,
  limit: number,
): Promise<number> {
  const row = await db.row<{ count: number }>(
    `SELECT count(*) AS count FROM (SELECT 1 ${from} LIMIT ${conditions.bind(limit)}) AS found`,
    ...conditions.values,
  );
  return row?.count ?? 0;
}

/** Counts the orders in some ranges of an index. */
function countRanges(db: PostgresDatabase, ranges: OrderRange[], limit: number): Promise<number> {
  const values: unknown[] = [];
  const parts = ranges.map(
    (range) => `SELECT 1 FROM orders WHERE ${addRange(new NumberedConditions(values), range).sql}`,
  );
  const from = `FROM (${parts.join(' UNION ALL ')}) AS orders`;
  return count(db, from, new NumberedConditions(values), limit);
}

function createReader(db: PostgresDatabase): OrderReader {
  return {
    select(ranges, query, limit) {
      const { sql, conditions } = fromRanges(ranges, query);
      const rest = `${sql} ${orderBySort(query)} LIMIT ${conditions.bind(limit)}`;
      return db.list(orders, rest, ...conditions.values);
    },

    count(ranges, query, limit) {
      const { sql, conditions } = fromRanges(ranges, query);
      return count(db, sql, conditions, limit);
    },

    countRange: (range, limit) => countRanges(db, [{ ...range, ...addBounds(range) }], limit),

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

/** Creates the order store. `notify` is called with the events of a change and its number of deliveries, after the commit. */
export function createPostgresOrderStore(
  db: PostgresDatabase,
  groups: GroupCommit,
  notify: (events: DomainEvent[], queued: number) => void,
): OrderStore {
  const reader = createReader(db);
  const scheduler = new SearchScheduler();
  const writeGroup: WriteGroup<Traced<Placement | OrderChange>, Written> = (tx, changes, waits) =>
    writeOrders(db, tx, changes, waits);
  async function write(change: Placement | OrderChange): Promise<Written['result']> {
    const { result, events, queued, onCommitted } = await groups.add(writeGroup, change);
    onCommitted?.();
    notify(events, queued);
    return result;
  }
  return {
    async placeOrder<Response extends StoredResponse>(
      { buyerId, ...request }: Parameters<OrderStore['placeOrder']>[0],
      decide: Placement['decide'],
    ) {
      return (await write({
        kind: 'placement',
        row: listingRow(request.listingId),
        // A second run finds what the first one committed.
        isRepeatable: true,
        ...request,
        buyerId: buyerId ?? null,
        decide,
        written: null,
      })) as IdempotentResult<Response>;
    },

    async changeOrder(id, context, decide) {
      return (await write({
        kind: 'change',
        row: orderRow(id),
        isRepeatable: true,
        id,
        context,
        decide,
        written: null,
      })) as ChangedOrder;
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

    async countOrders(caller, filter, limit, signal) {
      const simple = simplifyFilter(caller, filter);
      if (simple === null) return 0;
      const sort = getCountSort(simple);
      const query = { caller, filter: simple, sort, after: null, limit };
      const isIndexed = !needsSearch(simple, sort);
      if (isIndexed && limit <= defaultStepSize) return countRanges(db, listRanges(query), limit);
      const search = isIndexed ? countIndexed(reader, query) : countOrders(reader, query);
      return scheduler.run(caller.accountId, () => search.next(), signal);
    },
  };
}
