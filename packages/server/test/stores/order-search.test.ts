import { type OrderSort, orderSorts, orderStatuses } from '@tradepost/contract';
import type { PageKey } from '@tradepost/domain/kernel/pagination';
import { isVisibleTo, type Order } from '@tradepost/domain/orders/order';
import { getCountSort, needsSearch, toPageKey } from '@tradepost/domain/orders/order-list';
import type { OrderFilter } from '@tradepost/domain/orders/order-store';
import { aCaller, anOrderRecord, noon } from '@tradepost/domain/test/builders';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countIndexed,
  countOrders,
  findOrders,
  type OrderQuery,
  type OrderRange,
  type OrderReader,
} from '../../src/stores/order-search';
import { passes, sortOrders } from './conformance/order-lists';

const seller = aCaller({ kind: 'seller' });
const [sellerId, buyerId, otherBuyerId, listingId, otherListingId] = [
  seller.accountId,
  aCaller().accountId,
  aCaller().accountId,
  'lst_1',
  'lst_2',
];

/** Compares two keys in the direction of a sort. */
function compareToKey(one: PageKey, other: PageKey, sort: OrderSort): number {
  const byId = Number(one.id > other.id) - Number(one.id < other.id);
  return (one.createdAt - other.createdAt || byId) * (sort.startsWith('-') ? -1 : 1);
}

/** Reads an array, and records how many orders each step scanned. */
class ArrayReader implements OrderReader {
  readonly scanned: number[] = [];
  /** Called before each step. */
  beforeSelect = () => {};

  constructor(public orders: Order[]) {}

  async select(ranges: OrderRange[], query: OrderQuery, limit: number) {
    const { caller, filter, sort, after } = query;
    this.beforeSelect();
    const inRanges = ranges.flatMap((range) => this.#read(range));
    this.scanned.push(inRanges.length);
    const own = inRanges.filter((order) => isVisibleTo(order, caller));
    const sorted = sortOrders(
      own.filter((order) => passes(order, filter)),
      sort,
    );
    const rest = sorted.filter(
      (order) => after === null || compareToKey(toPageKey(order, sort), after, sort) > 0,
    );
    return rest.slice(0, limit);
  }

  async count(ranges: OrderRange[], query: OrderQuery, limit: number) {
    return (await this.select(ranges, query, limit)).length;
  }

  async countRange(range: OrderRange, limit: number) {
    const inRange = this.#read(range).slice(0, limit);
    this.scanned.push(inRange.length);
    return inRange.length;
  }

  async findKey(range: OrderRange, place: number) {
    const order = this.#read(range)[place - 1];
    return order === undefined ? null : toPageKey(order, range.by);
  }

  #read({ role, accountId, status, by, newestFirst, start, end }: OrderRange): Order[] {
    const sort = newestFirst ? (`-${by}` as const) : by;
    const own = this.orders.filter((order) => order[`${role}Id`] === accountId);
    const all = sortOrders(
      own.filter((order) => status === null || order.status === status),
      sort,
    );
    return all.filter((order) => {
      const compare = (key: PageKey) => compareToKey(toPageKey(order, by), key, sort);
      return (start === null || compare(start) > 0) && (end === null || compare(end) <= 0);
    });
  }
}

/** Runs a search to its end. Returns its result, and how many steps it had before. */
async function runToEnd<Result>(steps: AsyncGenerator<undefined, Result>) {
  for (let turns = 1; ; turns += 1) {
    const { done, value } = await steps.next();
    if (done) return { result: value, turns };
  }
}

/** Searches for a page. */
async function search(reader: OrderReader, query: OrderQuery, stepSize: number) {
  const { result: orders, turns } = await runToEnd(findOrders(reader, query, stepSize));
  return { orders, turns };
}

const times = fc.integer({ min: noon, max: noon + 9 });
const quantities = fc.integer({ min: 1, max: 4 });
const orders = fc
  .array(
    fc.record({
      status: fc.constantFrom(...orderStatuses.slice(0, 3)),
      sellerId: fc.constantFrom(sellerId, sellerId, sellerId, 'usr_other'),
      buyerId: fc.constantFrom(buyerId, otherBuyerId),
      listingId: fc.constantFrom(listingId, otherListingId),
      quantity: quantities,
      createdAt: times,
      updatedAt: times,
    }),
    { maxLength: 40 },
  )
  .map((rows) => rows.map((row) => anOrderRecord(row)));
const filters: fc.Arbitrary<OrderFilter> = fc.record(
  {
    statuses: fc.uniqueArray(fc.constantFrom(...orderStatuses.slice(0, 4)), { minLength: 1 }),
    buyerId: fc.constantFrom(buyerId, 'usr_none'),
    listingId: fc.constantFrom(listingId, 'lst_none'),
    minQuantity: quantities,
    maxQuantity: quantities,
    createdAfter: times,
    createdBefore: times,
    updatedAfter: times,
  },
  { requiredKeys: [] },
);
const sorts = fc.constantFrom(...orderSorts);
const stepSizes = fc.integer({ min: 1, max: 12 });

describe('a search for orders', () => {
  test('finds the same as a filter of all orders, whatever the size of its steps', async () => {
    await fc.assert(
      fc.asyncProperty(
        orders,
        filters,
        sorts,
        stepSizes,
        fc.integer({ min: 1, max: 20 }),
        fc.nat({ max: 50 }),
        async (all, filter, sort, stepSize, limit, position) => {
          const sorted = sortOrders(
            all.filter((order) => order.sellerId === sellerId),
            sort,
          );
          const last = sorted[position];
          const after = last === undefined ? null : toPageKey(last, sort);
          const query = { caller: seller, filter, sort, after, limit };
          const found = await search(new ArrayReader(all), query, stepSize);
          const rest = sorted.slice(last === undefined ? 0 : position + 1);
          const matching = rest.filter((order) => passes(order, filter));
          expect(found.orders).toEqual(matching.slice(0, limit));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('counts the same as it finds without a limit, up to its own', async () => {
    await fc.assert(
      fc.asyncProperty(
        orders,
        filters,
        stepSizes,
        fc.integer({ min: 1, max: 50 }),
        async (all, filter, stepSize, limit) => {
          const sort = getCountSort(filter);
          const query = { caller: seller, filter, sort, after: null, limit };
          const reader = new ArrayReader(all);
          const { result } = await runToEnd(countOrders(reader, query, stepSize));
          const own = all.filter((order) => order.sellerId === sellerId && passes(order, filter));
          expect(result).toBe(Math.min(own.length, limit));
          const most = stepSize * Math.max(1, filter.statuses?.length ?? 1);
          expect(Math.max(0, ...reader.scanned)).toBeLessThanOrEqual(most);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('counts by an index in steps, as many as a search finds', async () => {
    const indexed = filters.filter((filter) => !needsSearch(filter, getCountSort(filter)));
    await fc.assert(
      fc.asyncProperty(
        orders,
        indexed,
        stepSizes,
        fc.integer({ min: 1, max: 50 }),
        async (all, filter, stepSize, limit) => {
          const sort = getCountSort(filter);
          const query = { caller: seller, filter, sort, after: null, limit };
          const reader = new ArrayReader(all);
          const { result } = await runToEnd(countIndexed(reader, query, stepSize));
          const own = all.filter((order) => order.sellerId === sellerId && passes(order, filter));
          expect(result).toBe(Math.min(own.length, limit));
          expect(Math.max(0, ...reader.scanned)).toBeLessThan(stepSize);
        },
      ),
    );
  });

  test('scans no more than a step at a time, and for each status at most a step', async () => {
    await fc.assert(
      fc.asyncProperty(orders, filters, sorts, stepSizes, async (all, filter, sort, stepSize) => {
        const reader = new ArrayReader(all);
        const query = { caller: seller, filter, sort, after: null, limit: 1_000 };
        await search(reader, query, stepSize);
        const most = stepSize * Math.max(1, filter.statuses?.length ?? 1);
        expect(Math.max(...reader.scanned)).toBeLessThanOrEqual(most);
      }),
    );
  });

  test('of an agent reads the orders of a seller as a whole if they are few', async () => {
    const agent = aCaller({ kind: 'agent' });
    const few = anOrderRecord({ sellerId: 'usr_few', agentId: agent.accountId });
    const others = many.map((order) => ({ ...order, agentId: agent.accountId }));
    const reader = new ArrayReader([few, ...others]);
    const filter = { sellerId: 'usr_few' };
    const query = { caller: agent, filter, sort: '-createdAt', after: null, limit: 50 } as const;
    expect(await search(reader, query, 24)).toEqual({ orders: [few], turns: 1 });
    expect(reader.scanned).toEqual([1]);
  });

  const many = Array.from({ length: 100 }, (_one, index) =>
    anOrderRecord({
      sellerId,
      buyerId: index < 5 ? buyerId : otherBuyerId,
      status: index < 5 ? 'pending' : 'completed',
      createdAt: noon + index,
      updatedAt: noon + (index === 3 ? 1_000 : index),
    }),
  );

  test.each([
    { filter: { buyerId }, sort: '-createdAt', turns: 1 },
    { filter: { buyerId }, sort: '-updatedAt', turns: 1 },
    { filter: { updatedAfter: noon + 90 }, sort: '-createdAt', turns: 1 },
    { filter: { statuses: ['pending', 'confirmed'] }, sort: 'updatedAt', turns: 1 },
    { filter: { buyerId: otherBuyerId, listingId: 'lst_none' }, sort: '-createdAt', turns: 6 },
    { filter: { listingId: 'lst_none' }, sort: '-createdAt', turns: 5 },
  ] as const)('needs $turns turns for $filter by $sort', async ({ filter, sort, turns }) => {
    const query = { caller: seller, filter, sort, after: null, limit: 50 };
    const found = await search(new ArrayReader(many), query, 24);
    expect(found.turns).toBe(turns);
    expect(found.orders).toEqual(
      sortOrders(
        many.filter((order) => passes(order, filter)),
        sort,
      ),
    );
  });

  test('ends with the step in which its page is full', async () => {
    const reader = new ArrayReader(many);
    const filter = { listingId: many[98]?.listingId ?? '' };
    const query = { caller: seller, filter, sort: '-createdAt', after: null, limit: 1 } as const;
    expect((await search(reader, query, 10)).orders).toEqual([many[98]]);
    expect(reader.scanned).toEqual([10]);
  });

  test('has an order that moves during the search once, as it is last', async () => {
    const listed = many.map((order) => ({ ...order, listingId }));
    const reader = new ArrayReader(listed);
    reader.beforeSelect = () => {
      if (reader.scanned.length !== 1) return;
      reader.orders = listed.map((order, index) =>
        index === 0 ? { ...order, status: 'confirmed', updatedAt: noon + 2_000 } : order,
      );
    };
    const query = {
      ...{ caller: seller, filter: { listingId }, after: null, limit: 1_000 },
      sort: 'updatedAt',
    } as const;
    const { orders: found } = await search(reader, query, 10);
    expect(found).toHaveLength(100);
    expect(found.at(-1)).toMatchObject({ id: many[0]?.id, status: 'confirmed' });
  });
});
