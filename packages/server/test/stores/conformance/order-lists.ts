import { type OrderSort, type OrderStatus, orderSorts, orderStatuses } from '@tradepost/contract';
import type { Caller } from '@tradepost/domain/accounts/account';
import { type PageKey, slicePage } from '@tradepost/domain/kernel/pagination';
import { type Order, placeOrder } from '@tradepost/domain/orders/order';
import { decodeOrderCursor, encodeOrderCursor } from '@tradepost/domain/orders/order-list';
import type { OrderFilter } from '@tradepost/domain/orders/order-store';
import { aContext, aListing, noon } from '@tradepost/domain/test/builders';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store';
import { addCaller, Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

/** Writes an order in any state and of any times, without events; by default of the trade's buyer and listing. */
export async function insertOrder(
  trade: Trade,
  createdAt: number,
  status: OrderStatus,
  { updatedAt = createdAt, buyer = trade.buyer, listingId = trade.listing.id, quantity = 1 } = {},
): Promise<Order> {
  const context = aContext(createdAt);
  const request = { listingId, idempotencyKey: null, context };
  const { response } = await trade.store.orders.placeOrder(request, (listing) => {
    const wish = { listingId, quantity };
    const change = placeOrder(buyer, wish, listing, context);
    const order = { ...change.order, status, updatedAt };
    const quiet = { ...change, order, task: null, events: [] };
    return { change: quiet, response: { status: 201, headers: {}, body: order } };
  });
  return response.body;
}

/** Reads a list to its end, page by page, as the routes do. `between` runs after each page. */
async function readPages(
  store: Store,
  caller: Caller,
  filter: OrderFilter,
  { limit, sort = '-createdAt' }: { limit: number; sort?: OrderSort },
  between: () => Promise<unknown> = async () => {},
): Promise<Order[]> {
  const pages: Order[][] = [];
  for (let after: PageKey | null | undefined = null; after !== undefined; ) {
    const page = { after, limit: limit + 1, sort };
    const found: Order[] = await store.orders.listOrders(caller, filter, page);
    const { items, nextCursor } = slicePage(found, limit, (last) => encodeOrderCursor(last, sort));
    pages.push(items);
    if (pages.length > 60) throw new Error('The list does not end.');
    after = nextCursor === null ? undefined : decodeOrderCursor(nextCursor, sort);
    await between();
  }
  return pages.flat();
}

/** Sorts by a sort. Written independently of the server's comparison. */
export function sortOrders(orders: readonly Order[], sort: OrderSort): Order[] {
  const key = (order: Order) =>
    `${sort.endsWith('createdAt') ? order.createdAt : order.updatedAt} ${order.id}`;
  const oldestFirst = orders.toSorted((one, other) => (key(one) < key(other) ? -1 : 1));
  return sort.startsWith('-') ? oldestFirst.reverse() : oldestFirst;
}

/** Returns whether a filter includes an order. */
export function passes(order: Order, filter: OrderFilter): boolean {
  const { statuses, buyerId, sellerId, listingId, minQuantity, maxQuantity } = filter;
  const { createdAfter, createdBefore, updatedAfter } = filter;
  return (
    (statuses === undefined || statuses.includes(order.status)) &&
    (buyerId === undefined || order.buyerId === buyerId) &&
    (sellerId === undefined || order.sellerId === sellerId) &&
    (listingId === undefined || order.listingId === listingId) &&
    (minQuantity === undefined || order.quantity >= minQuantity) &&
    (maxQuantity === undefined || order.quantity <= maxQuantity) &&
    (createdAfter === undefined || order.createdAt > createdAfter) &&
    (createdBefore === undefined || order.createdAt < createdBefore) &&
    (updatedAfter === undefined || order.updatedAt > updatedAfter)
  );
}

/** Orders of two buyers from two listings, and how often they were changed since, as indexes of each. */
const trades = fc.array(
  fc.record({
    createdAt: fc.integer({ min: 0, max: 4 }),
    changedAfter: fc.integer({ min: 0, max: 3 }),
    status: fc.constantFrom(...orderStatuses),
    buyer: fc.nat({ max: 1 }),
    listing: fc.nat({ max: 1 }),
    quantity: fc.integer({ min: 1, max: 3 }),
  }),
  { maxLength: 14 },
);
type TradeRow = typeof trades extends fc.Arbitrary<(infer Row)[]> ? Row : never;
const sorts = fc.constantFrom(...orderSorts);

/** Writes orders of two buyers from two listings of the trade's seller and agent, and one of another seller. */
async function insertTrades(trade: Trade, rows: TradeRow[]) {
  const buyers = [trade.buyer, await addCaller(trade.store, 'buyer')];
  const { sellerId, agentId } = trade.listing;
  const second = aListing({ sellerId, agentId });
  await trade.store.listings.addListing(second);
  const listings = [trade.listing.id, second.id];
  const orders: Order[] = [];
  for (const row of rows) {
    const createdAt = noon + row.createdAt;
    const parts = {
      updatedAt: createdAt + row.changedAfter,
      buyer: buyers[row.buyer] ?? trade.buyer,
      listingId: listings[row.listing] ?? trade.listing.id,
      quantity: row.quantity,
    };
    orders.push(await insertOrder(trade, createdAt, row.status, parts));
  }
  const other = await Trade.open(trade.store);
  await insertOrder(other, noon, 'pending', { buyer: trade.buyer });
  return { orders, buyers, listings };
}

// Few different times, so that many orders share one, in any order, as with a clock that is set back.
const time = fc.integer({ min: 0, max: 4 }).map((offset) => noon + offset);
const status = fc.constantFrom(...orderStatuses);
/** A filter, or none: with all of them, most lists would be empty. */
const sometimes = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

function withoutUndefined<Filter extends object>(filter: Filter) {
  const entries = Object.entries(filter).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Filter]?: NonNullable<Filter[Name]> };
}

const limits = fc.integer({ min: 1, max: 6 });

/** Lists of orders: who sees what, filters, pages. */
export function describeOrderLists(underTest: StoreUnderTest): void {
  describe('lists of orders', () => {
    test('each participant of an order finds it in its list, and no other account does', async () => {
      const trade = await Trade.open(underTest.current);
      const other = await Trade.open(underTest.current);
      const order = await trade.place();
      const page = { after: null, limit: 10 };
      for (const caller of [trade.buyer, trade.seller, trade.agent]) {
        expect(await trade.store.orders.listOrders(caller, {}, page)).toEqual([order]);
      }
      for (const caller of [other.buyer, other.seller, other.agent]) {
        expect(await trade.store.orders.listOrders(caller, {}, page)).toEqual([]);
      }
    });

    test('an order without an agent is in no list of an agent', async () => {
      const trade = await Trade.open(underTest.current, { agentId: null });
      const agent = await addCaller(underTest.current, 'agent');
      await trade.place();
      const page = { after: null, limit: 10 };
      expect(await trade.store.orders.listOrders(agent, {}, page)).toEqual([]);
    });

    test('pages of any size, under any filter and sort, have every matching order exactly once, in order, and they are counted', async () => {
      const choices = fc.record({
        statuses: sometimes(fc.uniqueArray(status, { minLength: 3 })),
        buyer: sometimes(fc.constantFrom(0, 0, 1, 2)),
        seller: sometimes(fc.constantFrom(0, 1)),
        listing: sometimes(fc.constantFrom(0, 0, 1, 2)),
        minQuantity: sometimes(fc.integer({ min: 1, max: 3 })),
        maxQuantity: sometimes(fc.integer({ min: 1, max: 3 })),
        createdAfter: sometimes(time),
        createdBefore: sometimes(time),
        updatedAfter: sometimes(time),
      });
      const none = `${'0'.repeat(26)}`;
      await fc.assert(
        fc.asyncProperty(
          trades,
          choices,
          sorts,
          limits,
          fc.constantFrom('seller', 'agent', 'buyer'),
          async (rows, { buyer, seller, listing, ...others }, sort, limit, kind) => {
            const trade = await Trade.open(underTest.current);
            const { orders, buyers, listings } = await insertTrades(trade, rows);
            const filter: OrderFilter = {
              ...withoutUndefined(others),
              ...(buyer !== undefined && { buyerId: buyers[buyer]?.accountId ?? `usr_${none}` }),
              ...(seller !== undefined && {
                sellerId: seller === 0 ? trade.seller.accountId : `usr_${none}`,
              }),
              ...(listing !== undefined && { listingId: listings[listing] ?? `lst_${none}` }),
            };
            const found = await readPages(trade.store, trade[kind], filter, { limit, sort });
            const { countOrders } = trade.store.orders;
            // By one statement, and in steps.
            for (const most of [1_000, 100_001]) {
              expect(await countOrders(trade[kind], filter, most)).toBe(found.length);
            }
            expect(await countOrders(trade[kind], filter, limit)).toBe(
              Math.min(found.length, limit),
            );
            const visible =
              kind === 'buyer'
                ? found.filter((order) => order.sellerId === trade.seller.accountId)
                : found;
            const own = orders.filter(
              (order) => kind !== 'buyer' || order.buyerId === trade.buyer.accountId,
            );
            const expected = own.filter((order) => passes(order, filter));
            expect(visible).toEqual(sortOrders(expected, sort));
          },
        ),
        { numRuns: 150 },
      );
    });

    test.each(orderSorts)(
      'pages by %s have every order once while orders are placed',
      async (sort) => {
        await fc.assert(
          fc.asyncProperty(trades, limits, async (rows, limit) => {
            const trade = await Trade.open(underTest.current);
            const { orders } = await insertTrades(trade, rows);
            let number = 0;
            const found = await readPages(
              trade.store,
              trade.seller,
              {},
              { limit, sort },
              async () => {
                number += 1;
                // Not without end: from oldest to newest, new orders are found too.
                if (number <= 5) await insertOrder(trade, noon + 60_000 + number, 'pending');
              },
            );
            const before = new Set(orders.map(({ id }) => id));
            expect(found.filter(({ id }) => before.has(id))).toEqual(sortOrders(orders, sort));
            expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
          }),
          { numRuns: 10 },
        );
      },
    );

    test('an order that changes while a list by updatedAt is read is found with its change', async () => {
      const trade = await Trade.open(underTest.current);
      const orders: Order[] = [];
      for (let count = 0; count < 4; count += 1) {
        orders.push(await trade.place({ now: noon + count }));
      }
      const [first, , , last] = orders;
      if (first === undefined || last === undefined) throw new Error('four orders were placed');
      let number = 0;
      const page = { limit: 2, sort: 'updatedAt' } as const;
      const found = await readPages(trade.store, trade.seller, {}, page, async () => {
        number += 1;
        if (number > 1) return;
        await trade.move(first, 'confirmed', noon + 60_000);
        await trade.move(last, 'confirmed', noon + 60_001);
      });
      expect(
        found.map(({ id, status }) => [orders.findIndex((one) => one.id === id), status]),
      ).toEqual([
        [0, 'pending'],
        [1, 'pending'],
        [2, 'pending'],
        [0, 'confirmed'],
        [3, 'confirmed'],
      ]);
    });

    test('a buyer finds nothing with the ID of another buyer, and a seller no order of another seller', async () => {
      const trade = await Trade.open(underTest.current);
      const other = await Trade.open(underTest.current);
      await trade.place();
      await insertOrder(other, noon, 'pending', { buyer: trade.buyer });
      const page = { after: null, limit: 10 };
      const { orders } = trade.store;
      const buyerId = trade.buyer.accountId;
      expect(await orders.listOrders(other.buyer, { buyerId }, page)).toEqual([]);
      expect(await orders.listOrders(trade.buyer, { buyerId }, page)).toHaveLength(2);
      for (const caller of [trade.seller, other.seller, trade.agent, other.agent]) {
        const found = await orders.listOrders(caller, { buyerId }, page);
        expect(found).toHaveLength(1);
        expect([found[0]?.sellerId, found[0]?.agentId]).toContain(caller.accountId);
      }
      const listingId = other.listing.id;
      expect(await orders.listOrders(trade.seller, { listingId }, page)).toEqual([]);
    });

    test('a search is cancelled by its signal', async () => {
      const trade = await Trade.open(underTest.current);
      await trade.place();
      const { orders } = trade.store;
      const filter = { listingId: trade.listing.id };
      const page = { after: null, limit: 10 };
      const search = orders.listOrders(trade.seller, filter, page, AbortSignal.abort());
      await expect(search).rejects.toThrow('aborted');
      expect(await orders.listOrders(trade.seller, filter, page)).toHaveLength(1);
      const count = orders.countOrders(trade.seller, filter, 10, AbortSignal.abort());
      await expect(count).rejects.toThrow('aborted');
      expect(await orders.countOrders(trade.seller, filter, 10)).toBe(1);
    });

    test('names of accounts and titles of listings are found by their IDs, and nothing else', async () => {
      const trade = await Trade.open(underTest.current, { title: 'Coffee, washed' });
      const { orders, listings } = trade.store;
      const untitled = aListing({ sellerId: trade.seller.accountId, agentId: null });
      await listings.addListing(untitled);
      const accountIds = [trade.buyer.accountId, trade.seller.accountId, 'usr_none'];
      const names = await orders.findNames(accountIds, [trade.listing.id, untitled.id, 'lst_none']);
      expect(new Map(names)).toEqual(
        new Map([
          [trade.buyer.accountId, 'Harbour Street Café'],
          [trade.seller.accountId, 'Harbour Street Café'],
          [trade.listing.id, 'Coffee, washed'],
          [untitled.id, null],
        ]),
      );
      expect((await orders.findNames([], [])).size).toBe(0);
    });

    test('an order that changes between two pages stays where it is', async () => {
      const trade = await Trade.open(underTest.current);
      const orders: Order[] = [];
      for (let count = 0; count < 4; count += 1) orders.push(await trade.place());
      const [oldest] = orders;
      if (oldest === undefined) throw new Error('four orders were placed');
      const found = await readPages(trade.store, trade.seller, {}, { limit: 2 }, () =>
        trade.move(oldest, 'confirmed', noon + 60_000),
      );
      expect(found.map(({ id }) => id)).toEqual(orders.map(({ id }) => id).reverse());
    });
  });
}
