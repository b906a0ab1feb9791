import { type OrderStatus, orderStatuses } from '@tradepost/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Caller } from '../../src/accounts/account';
import { DomainError } from '../../src/kernel/errors';
import type { Listing } from '../../src/listings/listing';
import { changeStatus, type Order, type OrderMutation, placeOrder } from '../../src/orders/order';
import type { Task } from '../../src/tasks/task';
import { aCaller, aContext, aListing, noon } from '../helpers/builders';

/** The allowed transitions of an order, written independently of the code under test. */
const legal = new Set([
  'pending→confirmed',
  'pending→fulfilling',
  'pending→cancelled',
  'confirmed→fulfilling',
  'confirmed→cancelled',
  'fulfilling→completed',
  'fulfilling→cancelled',
]);

const statusRequest = fc.record({
  verb: fc.constant('change' as const),
  which: fc.nat({ max: 5 }),
  to: fc.constantFrom(...orderStatuses),
  by: fc.constantFrom('buyer', 'seller', 'agent', 'otherSeller', 'otherAgent', 'otherBuyer'),
  ifMatch: fc.constantFrom('none', 'none', 'current', 'stale', 'any'),
});
const placing = fc.record({
  verb: fc.constant('place' as const),
  quantity: fc.integer({ min: 1, max: 40 }),
});
const life = fc.record({
  units: fc.integer({ min: 0, max: 120 }),
  hasAgent: fc.boolean(),
  steps: fc.array(fc.oneof(placing, statusRequest, statusRequest, statusRequest), {
    maxLength: 40,
  }),
});

interface MarketOrder {
  order: Order;
  task: Task | null;
  /** Every status so far, including the first. */
  had: OrderStatus[];
}

/** One listing with its orders, changed only by the domain's decisions. */
class Market {
  listing: Listing;
  readonly callers: Record<string, Caller>;
  readonly orders: MarketOrder[] = [];
  now = noon;

  constructor(
    readonly units: number,
    hasAgent: boolean,
  ) {
    const callers = {
      buyer: aCaller(),
      seller: aCaller({ kind: 'seller' }),
      agent: aCaller({ kind: 'agent' }),
      otherBuyer: aCaller(),
      otherSeller: aCaller({ kind: 'seller' }),
      otherAgent: aCaller({ kind: 'agent' }),
    };
    this.callers = callers;
    this.listing = aListing({
      sellerId: callers.seller.accountId,
      agentId: hasAgent ? callers.agent.accountId : null,
      availableQuantity: units,
    });
  }

  caller(name: string): Caller {
    const caller = this.callers[name];
    if (caller === undefined) throw new Error(`there is no ${name}`);
    return caller;
  }

  place(quantity: number): OrderMutation {
    this.now += 1_000;
    const wish = { listingId: this.listing.id, quantity };
    const change = placeOrder(this.caller('buyer'), wish, this.listing, aContext(this.now));
    this.listing = change.listing;
    this.orders.push({ order: change.order, task: change.task, had: [change.order.status] });
    return change;
  }

  changeStatus(
    orders: MarketOrder,
    to: OrderStatus,
    by: string,
    ifMatch: string | undefined,
  ): OrderMutation | null {
    this.now += 1_000;
    const { order, task } = orders;
    const open = task?.completedAt === null ? task : null;
    const change = changeStatus(
      { caller: this.caller(by), id: order.id, to, ifMatch },
      { order, listing: this.listing, task: open },
      aContext(this.now),
    );
    if (change !== null) {
      orders.order = change.order;
      orders.task = change.task ?? orders.task;
      orders.had.push(change.order.status);
      this.listing = change.listing;
    }
    return change;
  }

  get parties(): string[] {
    const { buyer, seller } = this.callers;
    const { agentId } = this.listing;
    return [buyer?.accountId, seller?.accountId, agentId].filter((id) => typeof id === 'string');
  }
}

function outcomeCode(work: () => OrderMutation | null): OrderMutation | string | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

function expectedCode(
  market: Market,
  orders: MarketOrder,
  to: OrderStatus,
  by: string,
  ifMatch: string,
) {
  const { accountId, kind } = market.caller(by);
  const { status } = orders.order;
  if (!market.parties.includes(accountId)) return 'order_not_found';
  if (kind === 'buyer') return 'account_kind_not_allowed';
  if (status === to) return null;
  if (ifMatch === 'stale') return 'precondition_failed';
  return legal.has(`${status}→${to}`) ? 'changed' : 'invalid_transition';
}

const tags: Record<string, (order: Order) => string | undefined> = {
  none: () => undefined,
  current: (order) => `"${order.version}"`,
  stale: (order) => `"${order.version - 1}", "${order.version + 1}"`,
  any: () => '*',
};

function expectAddsUp(market: Market): void {
  const taken = market.orders
    .filter(({ order }) => order.status !== 'cancelled')
    .reduce((sum, { order }) => sum + order.quantity, 0);
  expect(market.listing.availableQuantity + taken).toBe(market.units);
  expect(market.listing.availableQuantity).toBeGreaterThanOrEqual(0);
  for (const { order, task, had } of market.orders) {
    expect(order.version).toBe(had.length);
    for (const [index, to] of had.slice(1).entries()) {
      expect(legal).toContain(`${had[index]}→${to}`);
    }
    expect(task === null).toBe(order.agentId === null);
    if (task !== null) expect(task.completedAt === null).toBe(order.status === 'pending');
  }
}

test('any sequence of requests keeps stock consistent, makes only allowed transitions, and counts and reports each change once', () => {
  fc.assert(
    fc.property(life, ({ units, hasAgent, steps }) => {
      const market = new Market(units, hasAgent);
      for (const step of steps) {
        const { availableQuantity } = market.listing;
        if (step.verb === 'place') {
          const outcome = outcomeCode(() => market.place(step.quantity));
          if (step.quantity > availableQuantity) {
            expect(outcome).toBe('insufficient_quantity');
          } else {
            expect(outcome).toMatchObject({
              order: { status: 'pending', version: 1, quantity: step.quantity },
              listing: { availableQuantity: availableQuantity - step.quantity },
              events: hasAgent
                ? [{ eventType: 'order.created' }, { eventType: 'task.approval_requested' }]
                : [{ eventType: 'order.created' }],
            });
          }
        } else {
          const orders = market.orders[step.which];
          if (orders === undefined) continue;
          const before = orders.order;
          const { to, by, ifMatch } = step;
          const expected = expectedCode(market, orders, to, by, ifMatch);
          const outcome = outcomeCode(() =>
            market.changeStatus(orders, to, by, tags[ifMatch]?.(before)),
          );
          if (expected === 'changed') {
            const completes = hasAgent && before.status === 'pending';
            expect(outcome).toMatchObject({
              order: { ...before, status: to, version: before.version + 1, updatedAt: market.now },
              events: completes
                ? [{ eventType: 'order.status_changed' }, { eventType: 'task.completed' }]
                : [{ eventType: 'order.status_changed' }],
            });
          } else {
            expect(outcome).toBe(expected);
            expect(orders.order).toBe(before);
          }
        }
        expectAddsUp(market);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('every event of an order is for its participants, each once', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.constantFrom<OrderStatus[]>(...paths()), (hasAgent, path) => {
      const market = new Market(100, hasAgent);
      const events = [...market.place(10).events];
      const [orders] = market.orders;
      if (orders === undefined) throw new Error('an order was placed');
      for (const to of path)
        events.push(...(market.changeStatus(orders, to, 'seller', undefined)?.events ?? []));
      for (const { recipients, orderId } of events) {
        expect(recipients).toEqual(market.parties);
        expect(orderId).toBe(orders.order.id);
      }
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    }),
  );
});

/** Returns every path of an order from `pending`. */
function paths(from: OrderStatus = 'pending'): OrderStatus[][] {
  const next = orderStatuses.filter((to) => legal.has(`${from}→${to}`));
  return [[], ...next.flatMap((to) => paths(to).map((rest) => [to, ...rest]))];
}
