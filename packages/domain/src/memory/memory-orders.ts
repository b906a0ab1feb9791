import type { Caller } from '../accounts/account';
import type { EventStore, LoggedEvent } from '../events/event-log';
import { type CommandContext, notBefore } from '../kernel/context';
import { missingRecord } from '../kernel/errors';
import { isVisibleTo, type Order, type OrderMutation } from '../orders/order';
import { compareOrders, defaultSort, getSortTime } from '../orders/order-list';
import type { OrderFilter, OrderStore } from '../orders/order-store';
import { type MemoryData, requireReference } from './memory-data';

/** Absent in browsers. */
const { setImmediate } = globalThis as { setImmediate?: (work: () => void) => void };

/** Lets other work of the process run. */
const nextTurn = () => new Promise<void>((resolve) => (setImmediate ?? setTimeout)(resolve));

function matches(order: Order, filter: OrderFilter): boolean {
  const { buyerId, sellerId, listingId, quantity } = order;
  const { statuses, minQuantity = quantity, maxQuantity = quantity } = filter;
  const { createdAfter = Number.NEGATIVE_INFINITY, updatedAfter = Number.NEGATIVE_INFINITY } =
    filter;
  const { createdBefore = Number.POSITIVE_INFINITY } = filter;
  return (
    (statuses?.includes(order.status) ?? true) &&
    (filter.buyerId ?? buyerId) === buyerId &&
    (filter.sellerId ?? sellerId) === sellerId &&
    (filter.listingId ?? listingId) === listingId &&
    minQuantity <= quantity &&
    quantity <= maxQuantity &&
    order.createdAt > createdAfter &&
    order.createdAt < createdBefore &&
    order.updatedAt > updatedAfter
  );
}

/** Creates the store of orders. */
export function createMemoryOrderStore(data: MemoryData): OrderStore {
  const { orders, listings, tasks, accounts, announcements } = data;
  /** The latest time that a client may continue from. Later changes get later times, also if the clock stands still. */
  let finalUntil = -1;

  /** Like a database, it writes all or nothing. */
  function write({ order, listing, task, events }: OrderMutation, context: CommandContext): number {
    if (listing.availableQuantity < 0) throw new Error(`Listing ${listing.id} has no units left.`);
    for (const id of events.flatMap(({ recipients }) => recipients)) requireReference(accounts, id);
    orders.set(order.id, order);
    listings.set(listing.id, listing);
    if (task !== null) tasks.set(order.id, task);
    return data.addEvents(events, context);
  }

  function select(caller: Caller, filter: OrderFilter, signal: AbortSignal | undefined): Order[] {
    signal?.throwIfAborted();
    return [...orders.values()].filter(
      (order) => isVisibleTo(order, caller) && matches(order, filter),
    );
  }

  return {
    async placeOrder({ listingId, idempotencyKey, context }, decide) {
      let notify = () => {};
      const result = data.runIdempotent(idempotencyKey, context.now, () => {
        const at = notBefore(context, finalUntil + 1);
        const { change, response } = decide(listings.get(listingId) ?? null, at);
        const queued = write(change, at);
        notify = () => announcements.notifyEvents(change.events, queued);
        return response;
      });
      notify();
      return result;
    },

    async changeOrder(id, context, decide) {
      const order = orders.get(id);
      const listing = order && listings.get(order.listingId);
      const task = tasks.get(id);
      const open = task?.completedAt === null ? task : null;
      const at = notBefore(context, finalUntil + 1);
      const change = decide(order && listing ? { order, listing, task: open } : null, at);
      if (change === null) {
        if (order === undefined) throw missingRecord('Order', id);
        return { order, changed: false };
      }
      announcements.notifyEvents(change.events, write(change, at));
      return { order: change.order, changed: true };
    },

    findOrder: async (id) => orders.get(id) ?? null,

    async findNames(accountIds, listingIds) {
      const found = accountIds.flatMap((id) => accounts.get(id) ?? []);
      const titled = listingIds.flatMap((id) => listings.get(id) ?? []);
      return new Map<string, string | null>([
        ...found.map(({ id, name }) => [id, name] as const),
        ...titled.map(({ id, title }) => [id, title] as const),
      ]);
    },

    async listOrders(
      caller,
      filter,
      { after, limit, sort = defaultSort, isFinal = false },
      signal,
    ) {
      const time = getSortTime(sort);
      const position = after && ({ id: after.id, [time]: after.createdAt } as unknown as Order);
      const found = select(caller, filter, signal)
        .filter((order) => position === null || compareOrders(order, position, sort) > 0)
        .sort((one, other) => compareOrders(one, other, sort))
        .slice(0, limit);
      if (isFinal) {
        const by = filter.updatedAfter === undefined ? time : 'updatedAt';
        finalUntil = Math.max(finalUntil, ...found.map((order) => order[by]));
      }
      return found;
    },

    countOrders: async (caller, filter, limit, signal) =>
      Math.min(select(caller, filter, signal).length, limit),
  };
}

/** Creates the store of the event log. */
export function createMemoryEventStore(data: MemoryData): EventStore {
  const findPrunedTo = async (accountId: string) => data.prunedTo.get(accountId) ?? 0;
  const listEntries = (accountId: string, orderId?: string) =>
    data.log.filter(
      (entry) =>
        entry.accountId === accountId && entry.event.orderId === (orderId ?? entry.event.orderId),
    );
  const toLogged = ({ seq, event }: (typeof data.log)[number]): LoggedEvent => {
    const { id, eventType, body, createdAt, actorId, actorKind } = event;
    return { seq, id, eventType, body, createdAt, actorId, actorKind };
  };
  return {
    findPrunedTo,

    async findLimits(accountId) {
      const prunedTo = await findPrunedTo(accountId);
      const last = data.log.findLast((entry) => entry.accountId === accountId)?.seq ?? 0;
      return { last: Math.max(last, prunedTo), prunedTo };
    },

    async readEvents(accountId, after, limit, orderId) {
      const entries = listEntries(accountId, orderId).filter(({ seq }) => seq > after);
      return entries.slice(0, limit).map(toLogged);
    },

    async readEarlierEvents(accountId, upTo, limit, orderId) {
      const entries = listEntries(accountId, orderId).filter(({ seq }) => seq <= upTo);
      return entries.toReversed().slice(0, limit).map(toLogged);
    },

    async searchEvents(accountId, { after, upTo, newestFirst, size }, filter, limit) {
      const entries = listEntries(accountId).filter(({ seq }) => seq > after && seq <= upTo);
      const read = (newestFirst ? entries.toReversed() : entries).slice(0, size);
      const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = filter;
      const wanted = read.filter(
        ({ event: { createdAt, eventType } }) =>
          (filter.eventType ?? eventType) === eventType && createdAt >= since && createdAt < until,
      );
      return {
        events: wanted.slice(0, limit).map(toLogged),
        end: read.at(-1)?.seq ?? (newestFirst ? upTo : after),
        isOver: read.length < size,
      };
    },

    async runSearch(_accountId, step, signal) {
      for (;;) {
        signal.throwIfAborted();
        const next = await step();
        if (next.done === true) return next.value;
        await nextTurn();
      }
    },

    async findEvent(accountId, id) {
      const entry = listEntries(accountId).find(({ event }) => event.id === id);
      return entry === undefined ? null : toLogged(entry);
    },
  };
}
