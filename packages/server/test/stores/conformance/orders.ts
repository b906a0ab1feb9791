import type { Listing } from '@tradepost/domain/listings/listing';
import { changeStatus, type OrderContext, placeOrder } from '@tradepost/domain/orders/order';
import type { Task } from '@tradepost/domain/tasks/task';
import { aContext, noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store';
import { place, Trade } from '../../helpers/trade';
import type { StoreUnderTest } from './store-under-test';

const response = { status: 201, headers: {}, body: null };

/** Placing and changing orders: what `decide` receives, and that its result is written completely or not at all. */
export function describeOrders(underTest: StoreUnderTest): void {
  describe('in the store of orders', () => {
    test('a placed order is found as it was decided, and its units are gone from the listing', async () => {
      const trade = await Trade.open(underTest.current, { availableQuantity: 100 });
      const order = await trade.place({ quantity: 30 });
      expect(await trade.store.orders.findOrder(order.id)).toEqual(order);
      expect(await trade.unitsLeft()).toBe(70);
    });

    test('an order that was never placed is not found', async () => {
      expect(await underTest.current.orders.findOrder('ord_unknown')).toBeNull();
    });

    test('a change is returned and stored as it was decided', async () => {
      const trade = await Trade.open(underTest.current);
      const order = await trade.place();
      const changed = await trade.move(order, 'fulfilling', noon + 5_000);
      expect(changed).toEqual({
        ...order,
        status: 'fulfilling',
        version: 2,
        updatedAt: noon + 5_000,
      });
      expect(await trade.store.orders.findOrder(order.id)).toEqual(changed);
    });

    test('a decision to place receives the current listing, or null if there is none', async () => {
      const trade = await Trade.open(underTest.current, { lowThreshold: 995 });
      await trade.place({ quantity: 10 });
      const shown: (Listing | null)[] = [];
      for (const listingId of [trade.listing.id, 'lst_unknown']) {
        const request = { listingId, idempotencyKey: null, context: aContext() };
        const rejected = trade.store.orders.placeOrder(request, (listing) => {
          shown.push(listing);
          throw new Error('seen enough');
        });
        await expect(rejected).rejects.toThrow('seen enough');
      }
      expect(shown).toEqual([
        { ...trade.listing, availableQuantity: 990, lowStockNotified: true },
        null,
      ]);
    });

    test('a decision to change receives the order, its listing and its open task', async () => {
      const trade = await Trade.open(underTest.current);
      const order = await trade.place({ quantity: 10 });
      const shown: (OrderContext | null)[] = [];
      async function record(id: string): Promise<void> {
        const rejected = trade.store.orders.changeOrder(id, aContext(), (found) => {
          shown.push(found);
          throw new Error('seen enough');
        });
        await expect(rejected).rejects.toThrow('seen enough');
      }
      await record(order.id);
      const confirmed = await trade.move(order, 'confirmed');
      await record(order.id);
      await record('ord_unknown');
      const listing = { ...trade.listing, availableQuantity: 990 };
      const { accountId: agentId } = trade.agent;
      const task = { orderId: order.id, agentId, createdAt: noon, completedAt: null };
      expect(shown).toEqual([
        { order, listing, task: { id: expect.stringMatching(/^tsk_/), ...task } },
        { order: confirmed, listing, task: null },
        null,
      ]);
    });

    test('a decision of null changes nothing and returns the order as it is, and that it is unchanged', async () => {
      const trade = await Trade.open(underTest.current);
      const order = await trade.place();
      await trade.subscribe(trade.buyer, ['order.status_changed']);
      expect(await trade.store.orders.changeOrder(order.id, aContext(), () => null)).toEqual({
        order,
        changed: false,
      });
      expect(await trade.store.orders.findOrder(order.id)).toEqual(order);
      expect(await trade.store.deliveries.nextDueAt()).toBeNull();
    });

    test('a missing order cannot be left unchanged', async () => {
      const { orders } = underTest.current;
      await expect(orders.changeOrder('ord_unknown', aContext(), () => null)).rejects.toThrow(
        'ord_unknown',
      );
    });

    test('a rejected order leaves nothing behind', async () => {
      const trade = await Trade.open(underTest.current, { availableQuantity: 5 });
      await trade.subscribe(trade.buyer, ['order.created']);
      await expect(trade.place({ quantity: 6 })).rejects.toMatchObject({
        code: 'insufficient_quantity',
      });
      await expectUntouched(trade, 5);
    });

    test('an order that cannot be written completely leaves nothing behind', async () => {
      const trade = await Trade.open(underTest.current, { availableQuantity: 50 });
      await trade.subscribe(trade.buyer, ['order.created']);
      const context = aContext();
      const request = { listingId: trade.listing.id, idempotencyKey: null, context };
      const placed = trade.store.orders.placeOrder(request, (listing) => {
        const wish = { listingId: trade.listing.id, quantity: 5 };
        const change = placeOrder(trade.buyer, wish, listing, context);
        // The last event is for a missing account: everything before it is written first.
        const events = change.events.map((event, place) =>
          place === change.events.length - 1 ? { ...event, recipients: ['usr_unknown'] } : event,
        );
        return { change: { ...change, events }, response };
      });
      await expect(placed).rejects.toThrow();
      await expectUntouched(trade, 50);
    });

    test('a change that cannot be written completely changes nothing', async () => {
      const trade = await Trade.open(underTest.current, { availableQuantity: 50 });
      const order = await trade.place({ quantity: 5 });
      await trade.subscribe(trade.buyer, ['order.status_changed', 'task.completed']);
      const page = { after: null, limit: 100 };
      const { notifications, orders, deliveries } = trade.store;
      const before = await notifications.listNotifications(trade.buyer.accountId, {}, page);
      const context = aContext();
      const request = {
        caller: trade.seller,
        id: order.id,
        to: 'cancelled',
        ifMatch: undefined,
      } as const;
      const changed = orders.changeOrder(order.id, context, (found) => {
        const change = changeStatus(request, found, context);
        if (change === null) throw new Error('a pending order can be cancelled');
        return { ...change, listing: { ...change.listing, availableQuantity: -1 } };
      });
      await expect(changed).rejects.toThrow();
      expect(await orders.findOrder(order.id)).toEqual(order);
      expect(await trade.unitsLeft()).toBe(45);
      expect(await notifications.listNotifications(trade.buyer.accountId, {}, page)).toEqual(
        before,
      );
      expect(await deliveries.nextDueAt()).toBeNull();
      expect(await findOpenTask(trade.store, order.id)).toMatchObject({ completedAt: null });
    });

    test('of two orders for the last units, at once, one is rejected', async () => {
      const trade = await Trade.open(underTest.current, { availableQuantity: 10 });
      const both = await Promise.allSettled([
        trade.place({ quantity: 10 }),
        trade.place({ quantity: 10 }),
      ]);
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(await trade.unitsLeft()).toBe(0);
    });

    test('many orders at once take exactly what they order', async () => {
      const trade = await Trade.open(underTest.current, { availableQuantity: 100 });
      const placed = await Promise.all(
        Array.from({ length: 20 }, (_, index) => trade.place({ quantity: (index % 5) + 1 })),
      );
      const taken = placed.reduce((sum, { quantity }) => sum + quantity, 0);
      expect(await trade.unitsLeft()).toBe(100 - taken);
      expect(new Set(placed.map(({ id }) => id)).size).toBe(20);
    });

    test('of two changes at once, the second is decided on the result of the first', async () => {
      const trade = await Trade.open(underTest.current);
      const order = await trade.place();
      const both = await Promise.allSettled([
        trade.move(order, 'cancelled'),
        trade.move(order, 'confirmed'),
      ]);
      const final = await trade.store.orders.findOrder(order.id);
      // Either the order is confirmed and then cancelled, or it is cancelled and the confirmation is rejected.
      expect(final?.status).toBe('cancelled');
      expect(final?.version).toBe(1 + both.filter(({ status }) => status === 'fulfilled').length);
      expect(await trade.unitsLeft()).toBe(1_000);
    });

    test.each([undefined, '"1"', '*'])(
      'of equal changes at once, with If-Match %s, exactly one has changed the order',
      async (ifMatch) => {
        const trade = await Trade.open(underTest.current);
        for (const order of [await trade.place(), await trade.place()]) {
          const results = await Promise.all(
            Array.from({ length: 12 }, () =>
              trade.change(order, 'confirmed', { ...(ifMatch !== undefined && { ifMatch }) }),
            ),
          );
          expect(results.filter(({ changed }) => changed)).toHaveLength(1);
          for (const result of results) {
            expect(result.order).toMatchObject({ status: 'confirmed', version: 2 });
          }
        }
      },
    );

    test('orders of different listings do not affect one another', async () => {
      const trade = await Trade.open(underTest.current);
      const other = await Trade.open(underTest.current);
      await trade.place({ quantity: 3 });
      await place(trade.store, trade.buyer, { listing: other.listing, quantity: 4 });
      expect([await trade.unitsLeft(), await other.unitsLeft()]).toEqual([997, 996]);
    });
  });
}

async function findOpenTask({ orders }: Store, id: string): Promise<Task | null> {
  const seen: (Task | null)[] = [];
  await orders.changeOrder(id, aContext(), (found) => {
    seen.push(found?.task ?? null);
    return null;
  });
  return seen[0] ?? null;
}

async function expectUntouched(trade: Trade, units: number): Promise<void> {
  const { orders, notifications, deliveries } = trade.store;
  const page = { after: null, limit: 10 };
  expect(await trade.unitsLeft()).toBe(units);
  for (const caller of [trade.buyer, trade.seller, trade.agent]) {
    expect(await orders.listOrders(caller, {}, page)).toEqual([]);
    expect(await notifications.listNotifications(caller.accountId, {}, page)).toEqual([]);
  }
  expect(await deliveries.nextDueAt()).toBeNull();
}
