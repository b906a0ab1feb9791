import {
  type CreateOrder,
  headerNames,
  type OrderStatus,
  orderTransitions,
  type UpdateOrder,
} from '@tradepost/contract/wire';
import type { Order } from '../../index';
import { parseTime } from './check-fields';
import type { HandlerRequest, MockResponse } from './handler';
import type { ListingRecord, Market, OrderRecord } from './market';
import { slicePage } from './page';
import { MockProblem } from './problem';

/** Converts a stored order to that of a response. */
export function toOrder({ version: _, openTaskId: __, ...order }: OrderRecord): Order {
  return order;
}

function getParties({ buyerId, sellerId, agentId }: Order): (string | null)[] {
  return [buyerId, sellerId, agentId];
}

function respondWithOrder(
  order: OrderRecord,
  status: number,
  data: object = toOrder(order),
): MockResponse {
  return {
    status,
    headers: { ETag: formatEtag(order), [headerNames.orderVersion]: String(order.version) },
    body: { data },
  };
}

function formatEtag({ version }: OrderRecord): string {
  return `"${version}"`;
}

/** Handles `GET /v1/orders`. */
export function listOrders(market: Market, request: HandlerRequest): MockResponse {
  const { caller, query } = request;
  const found = market.orders.filter((order) => {
    const { status, buyerId, listingId } = { ...order, ...query };
    const createdAt = Date.parse(order.createdAt);
    return (
      getParties(order).includes(caller.id) &&
      status.split(',').includes(order.status) &&
      order.buyerId === buyerId &&
      order.listingId === listingId &&
      !(createdAt <= parseTime(query.createdAfter)) &&
      !(createdAt >= parseTime(query.createdBefore)) &&
      !(Date.parse(order.updatedAt) <= parseTime(query.updatedAfter))
    );
  });
  const { items, nextCursor } = slicePage(found, request, 'ord');
  const { createdAfter, updatedAfter, sort = '' } = query;
  // A client may continue from these times.
  const time = updatedAfter || sort.endsWith('updatedAt') ? 'updatedAt' : 'createdAt';
  if (createdAfter || updatedAfter || sort)
    for (const order of items) market.notePolled(order[time]);
  const data = items.map((order) => expandOrder(market, order, request));
  return { status: 200, body: { data, nextCursor } };
}

/** Handles `GET /v1/orders/:id`. */
export function getOrder(market: Market, request: HandlerRequest): MockResponse {
  const order = findVisibleOrder(market, request);
  return respondWithOrder(order, 200, expandOrder(market, order, request));
}

/** Converts a stored order to that of a response, with the names that the request expands. */
function expandOrder(
  { accounts, listings }: Market,
  order: OrderRecord,
  { query }: HandlerRequest,
): object {
  const named: { id: string; name?: string; title?: string | null }[] = [...accounts, ...listings];
  const expanded: Record<string, unknown> = { ...toOrder(order) };
  for (const key of query.expand?.split(',') ?? []) {
    const { id, name, title } = named.find((one) => one.id === expanded[`${key}Id`]) ?? {};
    // JSON has no undefined fields.
    expanded[key] = id ? { id, name, title } : null;
  }
  return expanded;
}

function findVisibleOrder(market: Market, { id, caller }: HandlerRequest): OrderRecord {
  const order = market.orders.find((candidate) => candidate.id === id);
  if (order && getParties(order).includes(caller.id)) return order;
  throw new MockProblem(
    'order_not_found',
    `No order ${JSON.stringify(id)} is visible to this account. Check the ID (ord_<id>) and the API key.`,
  );
}

/** Rejects the creation of an order by an account that is not a buyer. */
export function requireBuyer({ caller: { kind } }: HandlerRequest): void {
  if (kind === 'buyer') return;
  throw new MockProblem(
    'account_kind_not_allowed',
    `Only a buyer account may create an order; this key belongs to ${kind === 'agent' ? 'an agent' : 'a seller'}.`,
  );
}

/** Handles `POST /v1/orders`, for a buyer. */
export function createOrder(market: Market, { caller, body }: HandlerRequest): MockResponse {
  const { listingId, quantity } = body as CreateOrder;
  const listing = market.listings.find(({ id }) => id === listingId);
  if (!listing) {
    throw new MockProblem(
      'listing_not_found',
      `Listing ${listingId} does not exist. Check the ID; sellers create listings.`,
      [{ path: 'listingId', message: 'does not exist' }],
    );
  }
  const isLow = reserveUnits(listing, quantity);
  const { clock } = market;
  const now = market.changeTime();
  const order: OrderRecord = {
    id: clock.newId('ord'),
    status: 'pending',
    buyerId: caller.id,
    sellerId: listing.sellerId,
    agentId: listing.agentId,
    listingId,
    quantity,
    createdAt: now,
    updatedAt: now,
    version: 1,
    openTaskId: listing.agentId === null ? null : clock.newId('tsk'),
  };
  market.orders.push(order);
  recordCreation(market, order);
  if (isLow) recordLowQuantity(market, listing, order);
  const response = respondWithOrder(order, 201);
  return { ...response, headers: { ...response.headers, Location: `/v1/orders/${order.id}` } };
}

/** Subtracts units of an order. Returns whether the quantity falls below the threshold for the first time. */
function reserveUnits(listing: ListingRecord, quantity: number): boolean {
  const { availableQuantity, lowThreshold } = listing;
  if (quantity > availableQuantity) {
    const instead =
      availableQuantity === 0 ? 'from another listing' : `${availableQuantity} or fewer`;
    throw new MockProblem(
      'insufficient_quantity',
      `Listing ${listing.id} has ${availableQuantity} units left, but ${quantity} were requested. Order ${instead}.`,
    );
  }
  listing.availableQuantity -= quantity;
  const isLow = lowThreshold !== null && listing.availableQuantity < lowThreshold;
  if (!isLow || listing.lowStockNotified) return false;
  listing.lowStockNotified = true;
  return true;
}

/** Returns the units of a cancelled order. */
function releaseUnits(listing: ListingRecord, quantity: number): void {
  listing.availableQuantity += quantity;
  const { availableQuantity, lowThreshold } = listing;
  if (lowThreshold !== null && availableQuantity > lowThreshold) listing.lowStockNotified = false;
}

function recordCreation(market: Market, order: OrderRecord): void {
  const { id: orderId, buyerId, sellerId, agentId, listingId, quantity, status } = order;
  const recipients = getParties(order);
  market.record({
    event: 'order.created',
    data: {
      orderId,
      buyerId,
      sellerId,
      agentId,
      listingId,
      quantity,
      status: status as OrderStatus,
    },
    orderId,
    recipients,
    message: `Order ${orderId} was created for ${quantity} of listing ${listingId}; it is ${status}.`,
  });
  if (order.openTaskId === null || agentId === null) return;
  market.record({
    event: 'task.approval_requested',
    data: { taskId: order.openTaskId, orderId, agentId },
    orderId,
    recipients,
    message: `Order ${orderId} is pending and awaits the approval of its agent.`,
  });
}

function recordLowQuantity(market: Market, listing: ListingRecord, { id }: OrderRecord): void {
  const { id: listingId, sellerId, agentId, availableQuantity, lowThreshold } = listing;
  const threshold = lowThreshold ?? 0;
  market.record({
    event: 'listing.availability_low',
    data: { listingId, sellerId, availableQuantity, threshold },
    orderId: id,
    recipients: [sellerId, agentId],
    message: `Order ${id} is pending and left listing ${listingId} with ${availableQuantity} available, below its threshold of ${threshold}.`,
  });
}

/** Handles `PATCH /v1/orders/:id`. */
export function updateOrder(market: Market, request: HandlerRequest): MockResponse {
  const { caller, ifMatch, body } = request;
  const { status, reason } = body as UpdateOrder;
  const order = findVisibleOrder(market, request);
  if (caller.kind === 'buyer') {
    throw new MockProblem(
      'account_kind_not_allowed',
      "A buyer account may not change an order's status. Ask the order's seller or agent.",
    );
  }
  // Before If-Match: otherwise a repeated request with If-Match would fail because of its own first success.
  if (order.status === status) return respondToUpdate(order, false);
  if (ifMatch !== undefined && !matchesEtag(order, ifMatch)) {
    throw new MockProblem(
      'precondition_failed',
      `Order ${order.id} is ${order.status} and its ETag is ${formatEtag(order)}, not ${ifMatch}. Read the order again before you change it.`,
    );
  }
  requireTransition(order, status);
  changeStatus(market, order, status, reason);
  return respondToUpdate(order, true);
}

function respondToUpdate(order: OrderRecord, changed: boolean): MockResponse {
  const response = respondWithOrder(order, 200);
  return { ...response, headers: { ...response.headers, [headerNames.changed]: String(changed) } };
}

/** Checks `*`, or the versions in a list of entity tags, which a proxy that compresses may have changed. */
function matchesEtag(order: OrderRecord, ifMatch: string): boolean {
  if (ifMatch.trim() === '*') return true;
  const tags = ifMatch.matchAll(/(?:^|,)\s*(?:W\/)?"([^"]*)"\s*(?=,|$)/g);
  const encoding = /[-;]{1,2}(?:br|deflate|gzip|zstd)$/;
  return [...tags].some(([, tag]) => tag?.replace(encoding, '') === String(order.version));
}

function requireTransition({ id, status: from }: OrderRecord, to: OrderStatus): void {
  const allowed = orderTransitions[from as OrderStatus] ?? [];
  if (allowed.includes(to)) return;
  const reason =
    allowed.length === 0
      ? `${from} is final`
      : `from ${from} it can change to ${allowed.join(' or ')}`;
  throw new MockProblem(
    'invalid_transition',
    `Order ${id} is ${from} and cannot become ${to}: ${reason}.`,
  );
}

function changeStatus(
  market: Market,
  order: OrderRecord,
  status: OrderStatus,
  reason: string | undefined,
): void {
  const { id: orderId, agentId, openTaskId } = order;
  const previousStatus = order.status as OrderStatus;
  const recipients = getParties(order);
  const now = market.changeTime();
  order.status = status;
  order.version += 1;
  // If the clock was set back, the change must not come before the last one.
  if (now > order.updatedAt) order.updatedAt = now;
  if (status === 'cancelled') {
    const listing = market.listings.find(({ id }) => id === order.listingId);
    if (listing) releaseUnits(listing, order.quantity);
  }
  market.record({
    event: 'order.status_changed',
    data: { orderId, previousStatus, status, ...(reason !== undefined && { reason }) },
    orderId,
    recipients,
    message: `Order ${orderId} is now ${status} (was ${previousStatus}).`,
  });
  if (openTaskId === null || agentId === null) return;
  order.openTaskId = null;
  market.record({
    event: 'task.completed',
    data: { taskId: openTaskId, orderId, agentId },
    orderId,
    recipients,
    message: `The approval of order ${orderId} is complete; the order is now ${status}.`,
  });
}
