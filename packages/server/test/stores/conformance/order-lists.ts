import { type OrderStatus, orderStatuses } from '@tradepost/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/features/accounts/account';
import { type Order, placeOrder } from '../../../src/features/orders/order';
import type { OrderFilter } from '../../../src/features/orders/order-store';
import { decodeCursor, type PageKey, slicePage } from '../../../src/kernel/pagination';
import type { Store } from '../../../src/stores/store';
import { aContext, noon } from '../../helpers/builders';
import { addCaller, Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

/** Writes an order in any state and of any time, without events. */
export async function insertOrder(
  trade: Trade,
  createdAt: number,
  status: OrderStatus,
): Promise<Order> {
  const context = aContext(createdAt);
  const request = { listingId: trade.listing.id, idempotencyKey: null, context };
  const { response } = await trade.store.orders.placeOrder(request, (listing) => {
    const wish = { listingId: trade.listing.id, quantity: 1 };
    const change = placeOrder(trade.buyer, wish, listing, context);
    const order = { ...change.order, status };
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
  limit: number,
  between: () => Promise<unknown> = async () => {},
): Promise<Order[]> {
  const pages: Order[][] = [];
  for (let after: PageKey | null | undefined = null; after !== undefined; ) {
    const page = { after, limit: limit + 1 };
    const found: Order[] = await store.orders.listOrders(caller, filter, page);
    const { items, nextCursor } = slicePage(found, limit);
    pages.push(items);
    after = nextCursor === null ? undefined : decodeCursor(nextCursor, 'ord');
    await between();
  }
  return pages.flat();
}

function newestFirst(one: Order, other: Order): number {
  return other.createdAt - one.createdAt || (other.id < one.id ? -1 : 1);
}

function passes(order: Order, filter: OrderFilter): boolean {
  const { status, createdAfter, createdBefore } = filter;
  return (
    (status === undefined || order.status === status) &&
    (createdAfter === undefined || order.createdAt > createdAfter) &&
    (createdBefore === undefined || order.createdAt < createdBefore)
  );
}

// Few different times, so that many orders share one, in any order, as with a clock that is set back.
const time = fc.integer({ min: 0, max: 4 }).map((offset) => noon + offset);
const status = fc.constantFrom(...orderStatuses);
const inserts = fc.array(fc.record({ createdAt: time, status }), { maxLength: 14 });
const filters = fc.record(
  { status, createdAfter: time, createdBefore: time },
  { requiredKeys: [] },
);
const limits = fc.integer({ min: 1, max: 6 });
const party = fc.constantFrom('buyer', 'seller', 'agent');

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

    test('pages of any size, under any filter, have every matching order exactly once, newest first', async () => {
      await fc.assert(
        fc.asyncProperty(inserts, filters, limits, party, async (rows, filter, limit, kind) => {
          const trade = await Trade.open(underTest.current);
          const orders: Order[] = [];
          for (const { createdAt, status } of rows) {
            orders.push(await insertOrder(trade, createdAt, status));
          }
          const found = await readPages(trade.store, trade[kind], filter, limit);
          const expected = orders.filter((order) => passes(order, filter)).sort(newestFirst);
          expect(found).toEqual(expected);
        }),
        { numRuns: 40 },
      );
    });

    test('orders that are placed between two pages neither repeat nor hide one of the others', async () => {
      await fc.assert(
        fc.asyncProperty(inserts, limits, async (rows, limit) => {
          const trade = await Trade.open(underTest.current);
          const orders: Order[] = [];
          for (const { createdAt, status } of rows) {
            orders.push(await insertOrder(trade, createdAt, status));
          }
          const found = await readPages(trade.store, trade.buyer, {}, limit, () =>
            insertOrder(trade, noon + 60_000, 'pending'),
          );
          expect(found).toEqual(orders.sort(newestFirst));
        }),
        { numRuns: 20 },
      );
    });

    test('an order that changes between two pages stays where it is', async () => {
      const trade = await Trade.open(underTest.current);
      const orders: Order[] = [];
      for (let count = 0; count < 4; count += 1) orders.push(await trade.place());
      const [oldest] = orders;
      if (oldest === undefined) throw new Error('four orders were placed');
      const found = await readPages(trade.store, trade.seller, {}, 2, () =>
        trade.move(oldest, 'confirmed', noon + 60_000),
      );
      expect(found.map(({ id }) => id)).toEqual(orders.map(({ id }) => id).reverse());
    });
  });
}
