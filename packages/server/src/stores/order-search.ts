import type { AccountKind, OrderSort, OrderStatus } from '@tradepost/contract';
import type { Caller } from '@tradepost/domain/accounts/account';
import type { PageKey } from '@tradepost/domain/kernel/pagination';
import type { Order } from '@tradepost/domain/orders/order';
import { getSortTime, isNewestFirst } from '@tradepost/domain/orders/order-list';
import type { OrderFilter } from '@tradepost/domain/orders/order-store';
import { addBounds, buildScan, type PageScan } from './page-bounds';

/** How many orders a step of a search scans, and how many one statement counts: a few milliseconds of work. */
export const defaultStepSize = 5_000;

/** A range of one index: the orders of an account, perhaps with one status, by one of their times. */
export interface OrderRange extends PageScan {
  /** Whether they are the account's as their buyer, their seller or their agent. */
  role: AccountKind;
  accountId: string;
  /** Null for any. Only with `createdAt`. */
  status: OrderStatus | null;
  by: 'createdAt' | 'updatedAt';
}

/** What a page has. The filter is simplified. */
export interface OrderQuery {
  caller: Caller;
  filter: OrderFilter;
  sort: OrderSort;
  /** The end of the previous page; null for the first page. */
  after: PageKey | null;
  limit: number;
}

/** Reads ranges of orders. */
export interface OrderReader {
  /** Lists the orders in any of the ranges that match the query and come after its `after`, sorted, up to `limit`. */
  select(ranges: OrderRange[], query: OrderQuery, limit: number): Promise<Order[]>;
  /** Counts the orders that `select` would list. */
  count(ranges: OrderRange[], query: OrderQuery, limit: number): Promise<number>;
  /** Counts the orders in a range, whatever the filter of a query. */
  countRange(range: OrderRange, limit: number): Promise<number>;
  /** Returns the key of the order at a place in a range, from 1; null if the range has fewer. */
  findKey(range: OrderRange, place: number): Promise<PageKey | null>;
}

function buildRange(
  { caller, filter, sort, after }: OrderQuery,
  by: OrderRange['by'],
  status: OrderStatus | null = null,
): OrderRange {
  const { createdAfter, createdBefore, updatedAfter, updatedBefore } = filter;
  const position = getSortTime(sort) === by ? after : null;
  const bounds =
    by === 'createdAt'
      ? { createdAfter, createdBefore, after: position }
      : { createdAfter: updatedAfter, createdBefore: updatedBefore, after: position };
  const { newestFirst, start, end } = buildScan(bounds, isNewestFirst(sort));
  return { role: caller.kind, accountId: caller.accountId, status, by, newestFirst, start, end };
}

/** Returns the part of the whole list that comes after the previous page. */
export function getRest({ sort, after }: OrderQuery): PageScan {
  const { start, newestFirst } = addBounds(buildScan({ after }, isNewestFirst(sort)));
  return { newestFirst, start, end: null };
}

/** Lists the ranges of a page that needs no search: one, or one for each status. */
export function listRanges(query: OrderQuery): OrderRange[] {
  const by = getSortTime(query.sort);
  return (query.filter.statuses ?? [null]).map((status) => buildRange(query, by, status));
}

/**
 * Lists sets of ranges that have all orders of a page, and are read as a whole if they are short: those of the buyer or the seller,
 * what changed recently in a list by creation, and what has the statuses in a list by the last change.
 */
function listShortcuts(query: OrderQuery): OrderRange[][] {
  const { buyerId, sellerId, statuses, updatedAfter } = query.filter;
  const byCreation = getSortTime(query.sort) === 'createdAt';
  const shortcuts: OrderRange[][] = [];
  for (const [role, accountId] of [['buyer', buyerId] as const, ['seller', sellerId] as const]) {
    if (accountId !== undefined) {
      shortcuts.push([{ ...buildRange(query, 'createdAt'), role, accountId }]);
    }
  }
  if (byCreation && updatedAfter !== undefined) shortcuts.push([buildRange(query, 'updatedAt')]);
  if (!byCreation && statuses !== undefined) {
    shortcuts.push(statuses.map((status) => buildRange(query, 'createdAt', status)));
  }
  return shortcuts;
}

/** A list by creation with one status scans the orders with that status, any other list those of the account. */
function chooseScan(query: OrderQuery): OrderRange {
  const by = getSortTime(query.sort);
  const [status, ...others] = query.filter.statuses ?? [];
  const isIndexed = by === 'createdAt' && status !== undefined && others.length === 0;
  return buildRange(query, by, isIndexed ? status : null);
}

/** A step of a search. */
interface SearchStep {
  /** What to scan; empty if the step only found out that a set of ranges is too long. */
  ranges: OrderRange[];
  isLast: boolean;
}

async function* listSteps(
  reader: OrderReader,
  query: OrderQuery,
  stepSize: number,
): AsyncGenerator<SearchStep> {
  for (const ranges of listShortcuts(query)) {
    const ends = await Promise.all(ranges.map((range) => reader.findKey(range, stepSize)));
    const isShort = ends.every((end) => end === null);
    yield isShort ? { ranges, isLast: true } : { ranges: [], isLast: false };
  }
  const whole = chooseScan(query);
  for (let { start } = whole; ; ) {
    const end = await reader.findKey({ ...whole, start }, stepSize);
    yield { ranges: [{ ...whole, start, end: end ?? whole.end }], isLast: end === null };
    start = end;
  }
}

/**
 * Finds a page of orders by a search. It yields after each step, so that other work gets a turn during a search for few orders
 * among many.
 *
 * @param stepSize How many orders a step scans.
 */
export async function* findOrders(
  reader: OrderReader,
  query: OrderQuery,
  stepSize = defaultStepSize,
): AsyncGenerator<undefined, Order[]> {
  const { limit } = query;
  let found: Order[] = [];
  for await (const { ranges, isLast } of listSteps(reader, query, stepSize)) {
    if (ranges.length > 0) {
      const more = await reader.select(ranges, query, limit - found.length);
      // An order that changes meanwhile may move from a previous step to this one.
      const again = new Set(more.map(({ id }) => id));
      found = [...found.filter(({ id }) => !again.has(id)), ...more];
    }
    if (isLast || found.length >= limit) break;
    yield;
  }
  return found;
}

/** Counts orders by a search in the same steps, up to the limit of the query, which has the sort of `getCountSort`. */
export async function* countOrders(
  reader: OrderReader,
  query: OrderQuery,
  stepSize = defaultStepSize,
): AsyncGenerator<undefined, number> {
  const { limit } = query;
  let count = 0;
  for await (const { ranges, isLast } of listSteps(reader, query, stepSize)) {
    if (ranges.length > 0) count += await reader.count(ranges, query, limit - count);
    if (isLast || count >= limit) break;
    yield;
  }
  return count;
}

/** Counts the orders of a filter that needs no search, by one range of one index for each status, in steps. */
export async function* countIndexed(
  reader: OrderReader,
  query: OrderQuery,
  stepSize = defaultStepSize,
): AsyncGenerator<undefined, number> {
  const { limit } = query;
  let count = 0;
  for (const whole of listRanges(query)) {
    let end: PageKey | null = null;
    do {
      const rest: OrderRange = { ...whole, start: end ?? whole.start };
      const size = Math.min(stepSize, limit - count);
      end = await reader.findKey(rest, size);
      count += end === null ? await reader.countRange(rest, size) : size;
      if (count === limit) return count;
      yield;
    } while (end !== null);
  }
  return count;
}
