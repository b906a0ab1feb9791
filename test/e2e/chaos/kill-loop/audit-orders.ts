import type { EventType, Order, OrderStatus } from '@tradepost/sdk';
import type { OperationLog, PlacedOrder } from './operation-log';
import type { RecordedEvent, RecordedOrder, RecordedState } from './recorded-state';
import type { SeedData } from './seed-data';

function indexById<Row extends { id: string }>(rows: Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}

interface Change {
  previousStatus: OrderStatus;
  status: OrderStatus;
}

/** Returns the statuses that an order went through according to its events, and records invalid steps. */
function tracePath(id: string, changes: Change[], violations: string[]): OrderStatus[] {
  const path: OrderStatus[] = ['pending'];
  const left = [...changes];
  for (;;) {
    const here = path.at(-1) ?? 'pending';
    const index = left.findIndex(({ previousStatus }) => previousStatus === here);
    const [next] = index < 0 ? [] : left.splice(index, 1);
    if (next === undefined) break;
    if (!allowedTransitions(here).includes(next.status)) {
      violations.push(`Order ${id} changed from ${here} to ${next.status}, which is not allowed.`);
    }
    path.push(next.status);
  }
  for (const { previousStatus, status } of left) {
    violations.push(
      `Order ${id} has an event from ${previousStatus} to ${status} that does not fit its history.`,
    );
  }
  return path;
}

/** Returns how many events of each type an order with this path must have. Low availability is not counted. */
function countExpectedEvents(agentId: string | null, path: OrderStatus[]): Map<EventType, number> {
  const withAgent = agentId === null ? 0 : 1;
  return new Map<EventType, number>([
    ['order.created', 1],
    ['order.status_changed', path.length - 1],
    ['task.approval_requested', withAgent],
    ['task.completed', path.length > 1 ? withAgent : 0],
  ]);
}

function auditOrder(
  placed: PlacedOrder,
  recorded: RecordedOrder,
  events: RecordedEvent[],
): string[] {
  const { id, accepted, requested } = placed;
  const violations: string[] = [];
  const fields = ['buyerId', 'sellerId', 'agentId', 'listingId', 'quantity'] as const;
  for (const field of fields) {
    if (placed[field] === recorded[field]) continue;
    violations.push(
      `Order ${id} was created with ${field} ${placed[field]} but has ${recorded[field]}.`,
    );
  }
  const changes = events
    .filter(({ type }) => type === 'order.status_changed')
    .map(({ body }) => (JSON.parse(body) as { data: Change }).data);
  const path = tracePath(id, changes, violations);
  if (path.at(-1) !== recorded.status) {
    violations.push(`Order ${id} is ${recorded.status}; its events end with ${path.at(-1)}.`);
  }
  for (const status of accepted) {
    if (!path.includes(status))
      violations.push(`Order ${id} was acknowledged as ${status}, but has no such event.`);
  }
  for (const status of path.slice(1)) {
    if (!requested.has(status))
      violations.push(`Order ${id} became ${status}, which was never requested.`);
  }
  for (const [kind, expected] of countExpectedEvents(recorded.agentId, path)) {
    const found = events.filter((event) => event.type === kind).length;
    if (found !== expected)
      violations.push(`Order ${id} has ${found} events ${kind}, not ${expected}.`);
  }
  return violations;
}

function auditStock({ markets, seededOrders }: SeedData, state: RecordedState): string[] {
  const violations: string[] = [];
  const listings = indexById(state.listings);
  const listed = markets.flatMap(({ scarce, plentiful }) => [...scarce, plentiful]);
  for (const { id, available } of listed) {
    const taken = state.orders
      .filter(({ listingId, status }) => listingId === id && status !== 'cancelled')
      .filter((order) => !seededOrders.has(order.id))
      .reduce((sum, { quantity }) => sum + quantity, 0);
    const left = listings.get(id)?.available;
    if (left === available - taken) continue;
    violations.push(
      `Listing ${id} has ${left} units left; its orders took ${taken} of ${available}.`,
    );
  }
  return violations;
}

/** Finds every order that is lost, duplicated or in an impossible status, and units that do not add up. */
export function auditOrders(seedData: SeedData, log: OperationLog, state: RecordedState): string[] {
  const violations: string[] = [];
  const recorded = indexById(state.orders);
  const eventsByOrder = new Map<string, RecordedEvent[]>();
  for (const event of state.events) {
    const events = eventsByOrder.get(event.orderId) ?? [];
    eventsByOrder.set(event.orderId, [...events, event]);
  }
  const keyByOrder = new Map<string, string>();
  for (const placed of log.placed) {
    const other = keyByOrder.get(placed.id);
    if (other) violations.push(`Keys ${other} and ${placed.key} both returned order ${placed.id}.`);
    keyByOrder.set(placed.id, placed.key);
    const order = recorded.get(placed.id);
    if (order) violations.push(...auditOrder(placed, order, eventsByOrder.get(placed.id) ?? []));
    else
      violations.push(`Order ${placed.id} was acknowledged with 201 but is not in the database.`);
  }
  for (const id of recorded.keys()) {
    if (keyByOrder.has(id) || seedData.seededOrders.has(id)) continue;
    violations.push(
      `Order ${id} is in the database but was returned for no key: one key created two orders.`,
    );
  }
  return [...violations, ...auditStock(seedData, state)];
}

/** The transitions of the API specification. Repeated here, since the server's own table is under test. */
const transitions: Record<OrderStatus, readonly OrderStatus[]> = {
  pending: ['confirmed', 'fulfilling', 'cancelled'],
  confirmed: ['fulfilling', 'cancelled'],
  fulfilling: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
};

/** Returns the statuses that an order may change to. */
export function allowedTransitions(status: OrderStatus): readonly OrderStatus[] {
  return transitions[status];
}

/** Whether an order that had the status `before` may later have the status `after`. */
export function isReachable(before: OrderStatus, after: Order['status']): boolean {
  return before === after || transitions[before].some((next) => isReachable(next, after));
}
