import { orderStatuses } from '@tradepost/contract/wire';
import type { Announcements } from '@tradepost/domain/events/announcements';
import type { DomainEvent } from '@tradepost/domain/events/event';
import { type CommandContext, notBefore } from '@tradepost/domain/kernel/context';
import { missingRecord } from '@tradepost/domain/kernel/errors';
import type { PageKey } from '@tradepost/domain/kernel/pagination';
import type { Order, OrderContext, OrderMutation } from '@tradepost/domain/orders/order';
import {
  compareOrders,
  defaultSort,
  getCountSort,
  getSortTime,
  isNewestFirst,
  needsSearch,
  simplifyFilter,
} from '@tradepost/domain/orders/order-list';
import type { OrderStore } from '@tradepost/domain/orders/order-store';
import { Conditions } from '../conditions';
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
import type { SqliteDatabase } from './database';
import { insertEvents } from './events';
import { runIdempotent } from './idempotency';
import { insertPartners } from './partners';

/** Starts the conditions of a range. Its index is named, because SQLite may prefer another one and scan more orders. */
function buildConditions(range: OrderRange): { index: string; conditions: Conditions } {
  const { role, accountId, status, by } = range;
  const conditions = new Conditions().add(`${partyColumns[role]} = ?`, accountId);
  if (status !== null) conditions.add('status = ?', status);
  conditions.addScan(timeColumns[by], range);
  const suffix = status !== null ? '_by_status' : by === 'updatedAt' ? '_by_update' : '';
  return { index: `orders_of_${role}${suffix}`, conditions };
}

/** Adds all filters, also those that exclude nothing, so that there is one statement. None may change which index is used. */
function addFilters(conditions: Conditions, query: OrderQuery): Conditions {
  const { caller, filter, sort } = query;
  const { statuses = orderStatuses, buyerId = null, sellerId = null, listingId = null } = filter;
  const { minQuantity = 0, maxQuantity = Number.MAX_SAFE_INTEGER } = filter;
  const { createdAfter = -1, createdBefore = Number.MAX_SAFE_INTEGER, updatedAfter = -1 } = filter;
  const wanted = orderStatuses.map((_status, index) => statuses[index] ?? statuses[0]);
  return conditions
    .add(`+${partyColumns[caller.kind]} = ?`, caller.accountId)
    .add(`+status IN (${wanted.map(() => '?')})`, ...wanted)
    .add('(? IS NULL OR +buyer_id = ?)', buyerId, buyerId)
    .add('(? IS NULL OR +seller_id = ?)', sellerId, sellerId)
    .add('(? IS NULL OR +listing_id = ?)', listingId, listingId)
    .add('+quantity BETWEEN ? AND ?', minQuantity, maxQuantity)
    .add('+created_at > ?', createdAfter)
    .add('+created_at < ?', createdBefore)
    .add('+updated_at > ?', updatedAfter)
    .addScan(`+${timeColumns[getSortTime(sort)]}`, getRest(query));
}

function selectRange(
  db: SqliteDatabase,
  { index, conditions }: ReturnType<typeof buildConditions>,
  { sort }: OrderQuery,
  limit: number,
): Order[] {
  const direction = isNewestFirst(sort) ? 'DESC' : 'ASC';
  const rest = `FROM orders INDEXED BY ${index} WHERE ${conditions.sql}
     ORDER BY ${timeColumns[getSortTime(sort)]} ${direction}, id ${direction} LIMIT ?`;
  return db.list(orders, rest, ...conditions.values, limit);
}

/** Reads the first orders of each range, and merges them. */
function selectRanges(
  db: SqliteDatabase,
  ranges: ReturnType<typeof buildConditions>[],
  query: OrderQuery,
  limit: number,
): Order[] {
  const [only, ...others] = ranges;
  if (only !== undefined && others.length === 0) return selectRange(db, only, query, limit);
  const found = ranges.flatMap((range) => selectRange(db, range, query, limit));
  return found.sort((one, other) => compareOrders(one, other, query.sort)).slice(0, limit);
}

/** Counts the orders of each range, up to `limit`, by one statement. */
function countRanges(
  db: SqliteDatabase,
  ranges: ReturnType<typeof buildConditions>[],
  limit: number,
): number {
  const parts = ranges.map(
    ({ index, conditions }) => `SELECT 1 FROM orders INDEXED BY ${index} WHERE ${conditions.sql}`,
  );
  const values = ranges.flatMap(({ conditions }) => conditions.values);
  const sql = `SELECT count(*) AS count FROM (${parts.join(' UNION ALL ')} LIMIT ?)`;
  return db.get<{ count: number }>(sql, ...values, limit)?.count ?? 0;
}

function createReader(db: SqliteDatabase): OrderReader {
  const filterRanges = (ranges: OrderRange[], query: OrderQuery) =>
    ranges.map((range) => {
      const { index, conditions } = buildConditions({ ...range, ...addBounds(range) });
      return { index, conditions: addFilters(conditions, query) };
    });
  return {
    select: (ranges, query, limit) =>
      db.view(() => selectRanges(db, filterRanges(ranges, query), query, limit)),

    count: (ranges, query, limit) =>
      db.read(() => countRanges(db, filterRanges(ranges, query), limit)),

    countRange: (range, limit) =>
      db.read(() => countRanges(db, [buildConditions({ ...range, ...addBounds(range) })], limit)),

    findKey: (range, place) =>
      db.read(() => {
        const { index, conditions } = buildConditions({ ...range, ...addBounds(range) });
        const time = timeColumns[range.by];
        const direction = range.newestFirst ? 'DESC' : 'ASC';
        const sql = `SELECT ${time} AS createdAt, id FROM orders INDEXED BY ${index}
          WHERE ${conditions.sql} ORDER BY ${time} ${direction}, id ${direction} LIMIT 1 OFFSET ?`;
        return db.get<PageKey>(sql, ...conditions.values, place - 1) ?? null;
      }),
  };
}

const roles = ['buyer', 'seller', 'agent'];

/** The latest change of the orders of an account, which has one of the three roles. One entry of an index for each. */
const selectLatest = `SELECT max(at) AS at FROM (${roles
  .map(
    (role) =>
      `SELECT max(updated_at) AS at FROM orders INDEXED BY orders_of_${role}_by_update WHERE ${role}_id = ?`,
  )
  .join(' UNION ALL ')})`;

/**
 * Gives each change of an order a time that is later than those of all changes of orders of the same accounts that were committed
 * before. So a client that continues a list from the latest time that it got misses none, although the time was taken before the
 * change waited for its turn, another process may have been first, and a millisecond may have several changes.
 */
class ChangeTimes {
  readonly #db: SqliteDatabase;
  /** The first time that is left for each account in this transaction, whose own changes appear together. */
  readonly #firstTimes = new Map<string, number>();
  #transaction = -1;

  constructor(db: SqliteDatabase) {
    this.#db = db;
  }

  /** Returns the context of a change with its time. Call inside a write, before anything is written about these accounts. */
  correct(
    context: CommandContext,
    {
      buyerId,
      sellerId,
      agentId,
    }: Pick<Order, 'agentId'> & Record<'buyerId' | 'sellerId', string | null>,
  ): CommandContext {
    if (context.at === undefined) return context;
    const parties = [buyerId, sellerId, agentId].filter((id) => id !== null);
    const first = Math.max(...parties.map((id) => this.#findFirstTime(id)));
    return notBefore(context, first);
  }

  #findFirstTime(accountId: string): number {
    const { transaction } = this.#db;
    if (transaction !== this.#transaction) this.#firstTimes.clear();
    this.#transaction = transaction;
    const known = this.#firstTimes.get(accountId);
    if (known !== undefined) return known;
    const latest =
      this.#db.get<{ at: number | null }>(selectLatest, ...roles.map(() => accountId))?.at ?? -1;
    this.#firstTimes.set(accountId, latest + 1);
    return latest + 1;
  }
}

/** Creates the order store. What a change causes is announced after its commit. */
export function createSqliteOrderStore(
  db: SqliteDatabase,
  announcements: Announcements,
): OrderStore {
  const reader = createReader(db);
  const scheduler = new SearchScheduler();
  const times = new ChangeTimes(db);

  const selectOrder = (id: string) => db.find(orders, 'FROM orders WHERE id = ?', id);
  const selectListing = (id: string) => db.find(listingFields, 'FROM listings WHERE id = ?', id);

  function selectOrderContext(id: string): OrderContext | null {
    const order = selectOrder(id);
    if (order === null) return null;
    const listing = selectListing(order.listingId);
    if (listing === null) throw new Error(`Order ${id} has no listing ${order.listingId}.`);
    const ofOrder = 'FROM tasks WHERE order_id = ? AND completed_at IS NULL';
    return { order, listing, task: db.find(tasks, ofOrder, id) };
  }

  function writeSideEffects({ listing, events }: OrderMutation, context: CommandContext): number {
    db.update(stockUpdate, listing);
    return insertEvents(db, events, context);
  }

  return {
    async placeOrder({ listingId, buyerId, idempotencyKey, context }, decide) {
      let written: [DomainEvent[], number] = [[], 0];
      const result = await db.write(() =>
        runIdempotent(db, idempotencyKey, context.now, () => {
          const listing = selectListing(listingId);
          const at = times.correct(context, {
            buyerId: buyerId ?? null,
            sellerId: listing?.sellerId ?? null,
            agentId: listing?.agentId ?? null,
          });
          const { change, response } = decide(listing, at);
          db.insert(orders, change.order);
          insertPartners(db, change.order);
          if (change.task !== null) db.insert(tasks, change.task);
          written = [change.events, writeSideEffects(change, at)];
          return response;
        }),
      );
      announcements.notifyEvents(...written);
      return result;
    },

    async changeOrder(id, context, decide) {
      let written: [DomainEvent[], number] = [[], 0];
      const result = await db.write(() => {
        const found = selectOrderContext(id);
        const at = found === null ? context : times.correct(context, found.order);
        const change = decide(found, at);
        if (change === null) {
          if (found === null) throw missingRecord('Order', id);
          return { order: found.order, changed: false };
        }
        db.update(orderUpdate, change.order);
        if (change.task !== null) db.update(taskUpdate, change.task);
        written = [change.events, writeSideEffects(change, at)];
        return { order: change.order, changed: true };
      });
      announcements.notifyEvents(...written);
      return result;
    },

    findOrder: (id) => db.readTogether(() => selectOrder(id)),

    findNames: (accountIds, listingIds) =>
      db.readTogether(() => {
        const rows = db.tuples<[id: string, name: string | null]>(
          `SELECT id, name FROM accounts WHERE id IN (SELECT value FROM json_each(?))
           UNION ALL SELECT id, title FROM listings WHERE id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(accountIds),
          JSON.stringify(listingIds),
        );
        return new Map(rows);
      }),

    async listOrders(caller, filter, { sort = defaultSort, after, limit }, signal) {
      const simple = simplifyFilter(caller, filter);
      if (simple === null) return [];
      const query = { caller, filter: simple, sort, after, limit };
      if (needsSearch(simple, sort)) {
        const search = findOrders(reader, query);
        return scheduler.run(caller.accountId, () => search.next(), signal);
      }
      const ranges = listRanges(query).map(buildConditions);
      return db.readTogether(() => selectRanges(db, ranges, query, limit));
    },

    async countOrders(caller, filter, limit, signal) {
      const simple = simplifyFilter(caller, filter);
      if (simple === null) return 0;
      const sort = getCountSort(simple);
      const query = { caller, filter: simple, sort, after: null, limit };
      const isIndexed = !needsSearch(simple, sort);
      if (isIndexed && limit <= defaultStepSize) {
        return db.readTogether(() =>
          countRanges(db, listRanges(query).map(buildConditions), limit),
        );
      }
      const search = isIndexed ? countIndexed(reader, query) : countOrders(reader, query);
      return scheduler.run(caller.accountId, () => search.next(), signal);
    },
  };
}
