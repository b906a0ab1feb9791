import type { EventType, OrderStatus } from '@tradepost/sdk';
import { movesFrom } from './allowed-transitions';
import type { Diary, PlacedOrder } from './operation-log';
import type { BookedEvent, BookedOrder, Books } from './recorded-state';
import type { World } from './seed-data';

function byId<Row extends { id: string }>(rows: Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}

interface Change {
  previousStatus: OrderStatus;
  status: OrderStatus;
}

/** Where an order has been according to its events, each step a legal one; what is wrong is noted. */
function walk(id: string, changes: Change[], faults: string[]): OrderStatus[] {
  const path: OrderStatus[] = ['pending'];
  const left = [...changes];
  for (;;) {
    const here = path.at(-1) ?? 'pending';
    const index = left.findIndex(({ previousStatus }) => previousStatus === here);
    const [next] = index < 0 ? [] : left.splice(index, 1);
    if (next === undefined) break;
    if (!movesFrom(here).includes(next.status)) {
      faults.push(`Order ${id} moved from ${here} to ${next.status}, which it may not.`);
    }
    path.push(next.status);
  }
  for (const { previousStatus, status } of left) {
    faults.push(`Order ${id} has an event from ${previousStatus} to ${status} that leads nowhere.`);
  }
  return path;
}

/** How many events of each kind an order with this path must have; a listing may run low besides. */
function eventsOf(agentId: string | null, path: OrderStatus[]): Map<EventType, number> {
  const withAgent = agentId === null ? 0 : 1;
  return new Map<EventType, number>([
    ['order.created', 1],
    ['order.status_changed', path.length - 1],
    ['task.approval_requested', withAgent],
    ['task.completed', path.length > 1 ? withAgent : 0],
  ]);
}

function auditOrder(placed: PlacedOrder, booked: BookedOrder, events: BookedEvent[]): string[] {
  const { id, answered, asked } = placed;
  const faults: string[] = [];
  const fields = ['buyerId', 'sellerId', 'agentId', 'listingId', 'quantity'] as const;
  for (const field of fields) {
    if (placed[field] === booked[field]) continue;
    faults.push(`Order ${id} was placed with ${field} ${placed[field]} and has ${booked[field]}.`);
  }
  const changes = events
    .filter(({ kind }) => kind === 'order.status_changed')
    .map(({ body }) => (JSON.parse(body) as { data: Change }).data);
  const path = walk(id, changes, faults);
  if (path.at(-1) !== booked.status) {
    faults.push(`Order ${id} is ${booked.status}; its events end with ${path.at(-1)}.`);
  }
  for (const status of answered) {
    if (!path.includes(status))
      faults.push(`Order ${id} was answered ${status}; no event says so.`);
  }
  for (const status of path.slice(1)) {
    if (!asked.has(status)) faults.push(`Order ${id} became ${status}, which nobody asked for.`);
  }
  for (const [kind, expected] of eventsOf(booked.agentId, path)) {
    const found = events.filter((event) => event.kind === kind).length;
    if (found !== expected)
      faults.push(`Order ${id} has ${found} events ${kind}, not ${expected}.`);
  }
  return faults;
}

function auditStock({ markets, firstOrders }: World, books: Books): string[] {
  const faults: string[] = [];
  const listings = byId(books.listings);
  const traded = markets.flatMap(({ scarce, plentiful }) => [...scarce, plentiful]);
  for (const { id, available } of traded) {
    const taken = books.orders
      .filter(({ listingId, status }) => listingId === id && status !== 'cancelled')
      .filter((order) => !firstOrders.has(order.id))
      .reduce((sum, { quantity }) => sum + quantity, 0);
    const left = listings.get(id)?.available;
    if (left === available - taken) continue;
    faults.push(`Listing ${id} has ${left} left; of ${available} its orders took ${taken}.`);
  }
  return faults;
}

/** Finds every order that is lost, made twice, or in a state that it cannot be in, and stock that does not add up. */
export function auditOrders(world: World, diary: Diary, books: Books): string[] {
  const faults: string[] = [];
  const booked = byId(books.orders);
  const eventsByOrder = new Map<string, BookedEvent[]>();
  for (const event of books.events) {
    const events = eventsByOrder.get(event.orderId) ?? [];
    eventsByOrder.set(event.orderId, [...events, event]);
  }
  const keyOf = new Map<string, string>();
  for (const placed of diary.placed) {
    const other = keyOf.get(placed.id);
    if (other) faults.push(`Keys ${other} and ${placed.key} both answered order ${placed.id}.`);
    keyOf.set(placed.id, placed.key);
    const order = booked.get(placed.id);
    if (order) faults.push(...auditOrder(placed, order, eventsByOrder.get(placed.id) ?? []));
    else faults.push(`Order ${placed.id} was answered 201 and is not in the database.`);
  }
  for (const id of booked.keys()) {
    if (keyOf.has(id) || world.firstOrders.has(id)) continue;
    faults.push(`Order ${id} is in the database and was answered to no key: one key made two.`);
  }
  return [...faults, ...auditStock(world, books)];
}
