import type { DeliveryRoom } from '@tradepost/domain/deliveries/open-deliveries';
import type { DomainEvent } from '@tradepost/domain/events/event';
import type { CommandContext } from '@tradepost/domain/kernel/context';
import { DomainError, missingRecord } from '@tradepost/domain/kernel/errors';
import type {
  IdempotencyKey,
  IdempotentResult,
  StoredResponse,
} from '@tradepost/domain/kernel/idempotency';
import type { Listing } from '@tradepost/domain/listings/listing';
import type { Order, OrderContext, OrderMutation } from '@tradepost/domain/orders/order';
import type { ChangedOrder } from '@tradepost/domain/orders/order-store';
import type { Task } from '@tradepost/domain/tasks/task';
import {
  listingFields,
  orders,
  orderUpdate,
  stockUpdate,
  tasks,
  taskUpdate,
} from '../records/tables';
import type { PostgresDatabase, Transaction } from './database';
import { accountsWithSubscriptions, addEvents, findCommitted, type Subscriptions } from './events';
import { type GroupedChange, locking, type Outcome, type Traced } from './group-commit';
import { StoredKeys } from './idempotency';
import { addPartners } from './partners';
import { WriteSet } from './write-set';

/** A new order. */
export interface Placement extends GroupedChange {
  kind: 'placement';
  listingId: string;
  buyerId: string | null;
  idempotencyKey: IdempotencyKey | null;
  context: CommandContext;
  decide: (
    listing: Listing | null,
    context: CommandContext,
  ) => { change: OrderMutation; response: StoredResponse };
  /** What the last run wrote, which may have been committed although the connection broke. */
  written: { events: DomainEvent[]; response: StoredResponse } | null;
}

/** A change of an order. */
export interface OrderChange extends GroupedChange {
  kind: 'change';
  id: string;
  context: CommandContext;
  decide: (found: OrderContext | null, context: CommandContext) => OrderMutation | null;
  /** What the last run wrote, which may have been committed although the connection broke. */
  written: OrderMutation | null;
}

/** The result of a change, and the events that it caused. */
export interface Written {
  result: IdempotentResult<StoredResponse> | ChangedOrder;
  events: DomainEvent[];
  /** How many deliveries it queued. */
  queued: number;
  /** Called after the commit. */
  onCommitted?: () => void;
}

type Member = Traced<Placement | OrderChange>;

const ofOrder = orders.as('order');
const ofListing = listingFields.as('listing');
const ofTask = tasks.as('task');

/** An order, its listing and its open task. */
interface OrderRow {
  'order.id': string;
  /** Null if there is no listing, which is a fault. */
  'listing.id': string | null;
  /** Null if there is no open task. */
  'task.id': string | null;
}

const selectOrders = `SELECT ${ofOrder.select}, ${ofListing.select}, ${ofTask.select}
  FROM orders LEFT JOIN listings ON listings.id = orders.listing_id
  LEFT JOIN tasks ON tasks.order_id = orders.id AND tasks.completed_at IS NULL
  WHERE orders.id = ANY ($1::text[])`;

/** What is known about all accounts that may take part, and which listings exist. */
interface Parties extends Subscriptions {
  listingIds: string[];
}

/** Of new orders, by the IDs of their listings and buyers. */
const partiesOfPlacements = `SELECT unnest(ARRAY[seller_id, agent_id]) FROM listings WHERE id = ANY ($1::text[])
  UNION SELECT unnest($2::text[])`;
/** Of changed orders. */
const partiesOfChanges = `SELECT unnest(ARRAY[o.buyer_id, o.seller_id, o.agent_id, l.seller_id, l.agent_id])
  FROM orders AS o LEFT JOIN listings AS l ON l.id = o.listing_id WHERE o.id = ANY ($3::text[])`;
const existingListings =
  'ARRAY(SELECT id FROM listings WHERE id = ANY ($1::text[])) AS "listingIds"';

const selectParties = {
  placements: accountsWithSubscriptions(partiesOfPlacements, `, ${existingListings}`),
  all: accountsWithSubscriptions(
    `${partiesOfPlacements} UNION ${partiesOfChanges}`,
    `, ${existingListings}`,
  ),
};

function lockListings(tx: Transaction, ids: string[], waits: boolean): Promise<Listing[]> {
  return tx.list(listingFields, `FROM listings ${locking(waits)}`, ids);
}

const unique = <Item>(items: Iterable<Item>) => [...new Set(items)];

/** Does something once. Returns its value if it succeeded, and a function that returns it or throws its error. */
function attempt<Value>(work: () => Value): { value?: Value; get: () => Value } {
  try {
    const value = work();
    return { value, get: () => value };
  } catch (error) {
    return {
      get() {
        throw error;
      },
    };
  }
}

/** A decided change, to be written. */
interface Decided {
  member: Member;
  mutation: OrderMutation;
  result: Written['result'];
  context: CommandContext;
}

/**
 * The rows that a group of changes needs, as the changes so far left them. Orders are locked before listings. The listing of an
 * order is locked only if a change needs it: most leave it as it is, and many orders share it.
 */
class OrderGroup {
  readonly #tx: Transaction;
  readonly #waits: boolean;
  readonly #keys: StoredKeys;
  readonly #parties: Parties;
  readonly #committed: ReadonlySet<string>;
  readonly #time: number | null;
  readonly #locked: Set<string>;
  /** Without the listings of orders that were not locked. */
  readonly #listings: Map<string, Listing>;
  readonly #orders: Map<string, OrderContext>;
  /** The decisions on orders before all locks were taken, and what each is on. */
  readonly #decisions = new Map<Member, { found: OrderContext; get: () => OrderMutation | null }>();
  readonly #decided: Decided[] = [];
  readonly #placed: Order[] = [];
  readonly #changedOrders = new Map<string, Order>();
  readonly #changedListings = new Map<string, Listing>();
  readonly #opened: Task[] = [];
  readonly #completed: Task[] = [];

  private constructor(
    tx: Transaction,
    waits: boolean,
    read: {
      keys: StoredKeys;
      parties: Parties;
      committed: ReadonlySet<string>;
      time: number | null;
      lockedOrders: { id: string }[];
      lockedListings: Listing[];
      orders: OrderRow[];
    },
  ) {
    this.#tx = tx;
    this.#waits = waits;
    this.#keys = read.keys;
    this.#parties = read.parties;
    this.#committed = read.committed;
    this.#time = read.time;
    this.#locked = new Set([...read.lockedOrders, ...read.lockedListings].map(({ id }) => id));
    this.#listings = new Map(read.lockedListings.map((listing) => [listing.id, listing]));
    this.#orders = new Map(
      read.orders.map((row) => {
        const order = ofOrder.pick(row);
        if (row['listing.id'] === null)
          throw new Error(`Order ${order.id} has no listing ${order.listingId}.`);
        const task = row['task.id'] === null ? null : ofTask.pick(row);
        return [order.id, { order, listing: ofListing.pick(row), task }];
      }),
    );
  }

  /** Locks and reads what some changes need. What is read is what other transactions committed before the locks were taken. */
  static async read(
    db: PostgresDatabase,
    tx: Transaction,
    members: readonly Member[],
    waits: boolean,
  ): Promise<OrderGroup> {
    const placements: Placement[] = [];
    const changes: OrderChange[] = [];
    for (const { change } of members) {
      if (change.kind === 'placement') placements.push(change);
      else changes.push(change);
    }
    const orderIds = unique(changes.map(({ id }) => id));
    const listingIds = unique(placements.map(({ listingId }) => listingId));
    const buyerIds = unique(placements.map(({ buyerId }) => buyerId));
    const [lockedOrders, lockedListings, found, parties, keys, committed, time] = await Promise.all(
      [
        orderIds.length === 0
          ? []
          : tx.rows<{ id: string }>(`SELECT id FROM orders ${locking(waits)}`, orderIds),
        listingIds.length === 0 ? [] : lockListings(tx, listingIds, waits),
        orderIds.length === 0 ? [] : tx.rows<OrderRow>(selectOrders, orderIds),
        orderIds.length === 0
          ? tx.row<Parties>(selectParties.placements, listingIds, buyerIds)
          : tx.row<Parties>(selectParties.all, listingIds, buyerIds, orderIds),
        StoredKeys.read(
          db,
          tx,
          placements.flatMap(({ idempotencyKey }) => idempotencyKey ?? []),
        ),
        findCommitted(
          tx,
          members.flatMap(({ change: { written } }) => written?.events[0]?.id ?? []),
        ),
        tx.time,
      ],
    );
    return new OrderGroup(tx, waits, {
      keys,
      parties: parties ?? { accountIds: [], subscriptions: [], listingIds: [] },
      committed,
      time,
      lockedOrders,
      lockedListings,
      orders: found,
    });
  }

  /**
   * Locks the listings of which changes of orders change the stock. What they decide on later is what the ones before them left, so
   * that is not always known here.
   */
  async lockStock(members: readonly Member[]): Promise<void> {
    const ids: string[] = [];
    for (const member of members) {
      const { change } = member;
      if (change.kind !== 'change' || !this.#locked.has(change.id)) continue;
      const found = this.#orders.get(change.id);
      if (found === undefined) continue;
      const decision = attempt(() => change.decide(found, this.#at(change.context)));
      this.#decisions.set(member, { found, get: decision.get });
      const listing = decision.value?.listing ?? found.listing;
      if (listing !== found.listing) ids.push(listing.id);
    }
    const wanted = unique(ids).filter((id) => !this.#locked.has(id));
    if (wanted.length > 0) await this.#lockListings(wanted);
  }

  async #lockListings(ids: string[]): Promise<void> {
    for (const listing of await lockListings(this.#tx, ids, this.#waits)) {
      this.#locked.add(listing.id);
      this.#listings.set(listing.id, listing);
    }
  }

  /** Decides on a change. Returns its outcome, unless it is to be written. */
  async decide(member: Member): Promise<Outcome<Written> | null> {
    const { change } = member;
    try {
      return change.kind === 'placement'
        ? this.#place(member, change)
        : await this.#change(member, change);
    } catch (error) {
      if (error instanceof DomainError) return { error };
      throw error;
    }
  }

  #place(member: Member, change: Placement): Outcome<Written> | null {
    const { idempotencyKey, listingId, written } = change;
    const context = this.#at(change.context);
    const stored = idempotencyKey && this.#keys.find(idempotencyKey, change.context.now);
    if (stored) return unwritten(stored);
    const isFound = this.#parties.listingIds.includes(listingId);
    if (isFound && !this.#locked.has(listingId)) return { lockedRow: listingRow(listingId) };
    // With the listing's lock, which an interrupted commit that is still in progress has until its end.
    if (written !== null && this.#isCommitted(written)) {
      const { response, events } = written;
      return { result: { result: { response, replayed: false }, events, queued: events.length } };
    }
    change.written = null;
    const { change: mutation, response } = change.decide(
      this.#listings.get(listingId) ?? null,
      context,
    );
    change.written = { events: mutation.events, response };
    if (idempotencyKey) this.#keys.add(idempotencyKey, response, null);
    this.#placed.push(mutation.order);
    if (mutation.task) this.#opened.push(mutation.task);
    this.#setListing(mutation.listing);
    this.#decided.push({ member, mutation, result: { response, replayed: false }, context });
    return null;
  }

  async #change(member: Member, change: OrderChange): Promise<Outcome<Written> | null> {
    const { id, written } = change;
    const context = this.#at(change.context);
    const read = this.#orders.get(id) ?? null;
    if (read !== null && !this.#locked.has(id)) return { lockedRow: orderRow(id) };
    // With the order's lock, likewise.
    if (written !== null && this.#isCommitted(written)) {
      const { order, events } = written;
      return { result: { result: { order, changed: true }, events, queued: events.length } };
    }
    change.written = null;
    let found = this.#withListing(read);
    const decision = this.#decisions.get(member);
    let mutation = decision?.found === found ? decision.get() : change.decide(found, context);
    if (mutation === null) {
      if (found === null) throw missingRecord('Order', id);
      return unwritten({ order: found.order, changed: false });
    }
    if (found !== null && mutation.listing !== found.listing) {
      const listingId = found.listing.id;
      if (!this.#locked.has(listingId)) await this.#lockListings([listingId]);
      if (!this.#locked.has(listingId)) return { lockedRow: listingRow(listingId) };
      found = this.#withListing(found);
      mutation = change.decide(found, context) ?? mutation;
      this.#setListing(mutation.listing);
    }
    const { order, task, listing } = mutation;
    this.#changedOrders.set(id, order);
    if (task) this.#completed.push(task);
    this.#orders.set(id, { order, listing, task: task ? null : (found?.task ?? null) });
    const result = { order, changed: true };
    this.#decided.push({ member, mutation, result, context });
    change.written = mutation;
    return null;
  }

  /** Writes what was decided, each row once. Returns the result of each change. */
  async write(room: DeliveryRoom): Promise<Map<Member, Written>> {
    const writes = new WriteSet();
    writes.insert(orders, this.#placed);
    const onCommitted = addPartners(this.#tx, writes, this.#placed);
    writes.insert(tasks, this.#opened);
    writes.update(orderUpdate, [...this.#changedOrders.values()]);
    writes.update(taskUpdate, this.#completed);
    writes.update(stockUpdate, [...this.#changedListings.values()]);
    const queued = await addEvents(
      this.#tx,
      writes,
      this.#decided.map(({ member, mutation, context }) => ({
        events: mutation.events,
        context,
        traceContext: member.traceContext,
      })),
      this.#parties,
      room,
    );
    this.#keys.addWrites(this.#tx, writes);
    writes.send(this.#tx);
    return new Map(
      this.#decided.map(({ member, mutation, result }, index) => [
        member,
        { result, events: mutation.events, queued: queued[index] ?? 0, onCommitted },
      ]),
    );
  }

  /** Whether what the last run wrote was committed. How many deliveries it queued is not known any more. */
  #isCommitted({ events: [first] }: { events: DomainEvent[] }): boolean {
    return first !== undefined && this.#committed.has(first.id);
  }

  /** The context of a change with the time that the database says. */
  #at(context: CommandContext): CommandContext {
    return this.#time === null ? context : (context.at?.(this.#time) ?? context);
  }

  #withListing(found: OrderContext | null): OrderContext | null {
    const listing = found && this.#listings.get(found.listing.id);
    return found && listing ? { ...found, listing } : found;
  }

  #setListing(listing: Listing): void {
    this.#listings.set(listing.id, listing);
    this.#changedListings.set(listing.id, listing);
  }
}

const unwritten = (result: Written['result']): Outcome<Written> => ({
  result: { result, events: [], queued: 0 },
});

/** Names the row that a new order locks. */
export const listingRow = (id: string) => `listing ${id}`;
/** Names the row that a change of an order locks. */
export const orderRow = (id: string) => `order ${id}`;

/** Writes new orders and changes of orders in one transaction. */
export async function writeOrders(
  db: PostgresDatabase,
  tx: Transaction,
  members: readonly Member[],
  waits: boolean,
): Promise<Outcome<Written>[]> {
  const group = await OrderGroup.read(db, tx, members, waits);
  await group.lockStock(members);
  const outcomes = new Map<Member, Outcome<Written>>();
  for (const member of members) {
    const outcome = await group.decide(member);
    if (outcome !== null) outcomes.set(member, outcome);
  }
  const written = await group.write(db.deliveryRoom);
  return members.map(
    (member) => outcomes.get(member) ?? { result: written.get(member) as Written },
  );
}
