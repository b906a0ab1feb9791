import {
  type CreateOrder,
  type Order as OrderResponse,
  type OrderStatus,
  orderTransitions,
} from '@tradepost/contract';
import type { Caller } from '../accounts/account';
import { causedBy, createEvent, type DomainEvent } from '../events/event';
import { type CommandContext, formatTimestamp } from '../kernel/context';
import { DomainError } from '../kernel/errors';
import { availabilityLow, type Listing, releaseUnits, reserveUnits } from '../listings/listing';
import {
  approvalRequested,
  completeTask,
  createTask,
  type Task,
  type TaskOrder,
  taskCompleted,
} from '../tasks/task';

/** An order in the domain. */
export interface Order {
  /** `ord_<id>`. */
  id: string;
  status: OrderStatus;
  buyerId: string;
  sellerId: string;
  agentId: string | null;
  listingId: string;
  quantity: number;
  /** 1 for a new order, incremented by each change. The ETag is derived from it. */
  version: number;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Milliseconds since 1970. */
  updatedAt: number;
}

/** Returns the statuses that an order may change to. */
export function allowedTransitions(status: OrderStatus): readonly OrderStatus[] {
  return orderTransitions[status];
}

/** Returns the accounts of an order: buyer, seller and agent. */
export function orderParticipants(order: Order): (string | null)[] {
  return [order.buyerId, order.sellerId, order.agentId];
}

/** Returns what an event of an order's task has from the order. */
function toTaskOrder(order: Order): TaskOrder {
  return { recipients: orderParticipants(order), orderVersion: order.version };
}

/** Returns whether an account may see an order: its buyer, seller and agent may. */
export function isVisibleTo(order: Order, caller: Caller): boolean {
  return orderParticipants(order).includes(caller.accountId);
}

/** Creates the error for an order that does not exist or that the caller may not see. */
export function orderNotFound(id: string): DomainError {
  return new DomainError(
    'order_not_found',
    `No order ${JSON.stringify(id)} is visible to this account. Check the ID (ord_<id>) and the API key.`,
  );
}

/** Returns an order's entity tag: its version in quotes. Source: RFC 9110, section 8.8.3. */
export function formatEtag(order: Order): string {
  return `"${order.version}"`;
}

/** What proxies that compress a response append to its entity tag: `-gzip` (Apache), `;gzip`, `--gzip` (Jetty). */
const encodingSuffix = /[-;]{1,2}(?:br|deflate|gzip|zstd)$/;

/**
 * Returns whether an `If-Match` header allows a change of an order: `*`, or a list that contains its entity tag. The version in
 * the tag is compared. RFC 9110, section 13.1.1, requires the strong comparison, but all tags of orders are strong: a weak one
 * was made of it by a proxy that compresses, and its version says as much.
 */
export function ifMatchSatisfied(order: Order, ifMatch: string): boolean {
  if (ifMatch.trim() === '*') return true;
  // A tag may contain commas, so the list cannot be split at commas.
  const tags = ifMatch.matchAll(/(?:^|,)\s*(?:W\/)?"([^"]*)"\s*(?=,|$)/g);
  return [...tags].some(([, tag]) => tag?.replace(encodingSuffix, '') === String(order.version));
}

/** Converts an order to the contract's order. */
export function toOrderResponse(order: Order): OrderResponse {
  return {
    id: order.id,
    status: order.status,
    buyerId: order.buyerId,
    sellerId: order.sellerId,
    agentId: order.agentId,
    listingId: order.listingId,
    quantity: order.quantity,
    createdAt: formatTimestamp(order.createdAt),
    updatedAt: formatTimestamp(order.updatedAt),
  };
}

/** An order and everything that a decision about it depends on. */
export interface OrderContext {
  order: Order;
  listing: Listing;
  /** The order's open task; null when it has none. */
  task: Task | null;
}

/** The result of a decision: everything that one transaction writes. */
export interface OrderMutation {
  order: Order;
  listing: Listing;
  /** The task that was opened or completed; null if none was. */
  task: Task | null;
  /** The events, in the order in which they happened. */
  events: DomainEvent[];
}

/** Creates `order.created` for the participants of the order. */
export function orderCreated(order: Order, context: CommandContext): DomainEvent {
  const { id, buyerId, sellerId, agentId, listingId, quantity, status } = order;
  return createEvent(
    {
      event: 'order.created',
      data: { orderId: id, buyerId, sellerId, agentId, listingId, quantity, status },
    },
    {
      orderId: id,
      orderVersion: order.version,
      recipients: orderParticipants(order),
      message: `Order ${id} was created for ${quantity} of listing ${listingId}; it is ${status}.`,
    },
    context,
  );
}

/** Creates `order.status_changed` for the participants of the order, with the reason of the request if it has one. */
export function orderStatusChanged(
  order: Order,
  previousStatus: OrderStatus,
  reason: string | undefined,
  context: CommandContext,
): DomainEvent {
  const { id: orderId, status } = order;
  return createEvent(
    {
      event: 'order.status_changed',
      data: { orderId, previousStatus, status, ...(reason !== undefined && { reason }) },
    },
    {
      orderId: order.id,
      orderVersion: order.version,
      recipients: orderParticipants(order),
      message: `Order ${order.id} is now ${order.status} (was ${previousStatus}).`,
    },
    context,
  );
}

/**
 * Places a buyer's order. The order starts as `pending`, takes its seller and agent from the listing, and opens an approval
 * task if there is an agent.
 *
 * @param listing The requested listing, or null if it does not exist.
 * @throws DomainError `listing_not_found`, `insufficient_quantity`.
 */
export function placeOrder(
  caller: Caller,
  request: CreateOrder,
  listing: Listing | null,
  context: CommandContext,
): OrderMutation {
  if (listing === null) {
    throw new DomainError(
      'listing_not_found',
      `Listing ${request.listingId} does not exist. Check the ID; sellers create listings.`,
      [{ path: 'listingId', message: 'does not exist' }],
    );
  }
  const reserved = reserveUnits(listing, request.quantity);
  const order: Order = {
    id: context.newId('ord'),
    status: 'pending',
    buyerId: caller.accountId,
    sellerId: listing.sellerId,
    agentId: listing.agentId,
    listingId: listing.id,
    quantity: request.quantity,
    version: 1,
    createdAt: context.now,
    updatedAt: context.now,
  };
  const task = order.agentId === null ? null : createTask(order.id, order.agentId, context);
  const events: DomainEvent[] = [orderCreated(order, context)];
  if (task !== null) events.push(approvalRequested(task, toTaskOrder(order), context));
  if (reserved.crossedLow) events.push(availabilityLow(reserved.listing, order.id, context));
  return { order, listing: reserved.listing, task, events: causedBy(caller, events) };
}

function invalidTransition(order: Order, to: OrderStatus): DomainError {
  const allowed = allowedTransitions(order.status);
  const either = new Intl.ListFormat('en-GB', { type: 'disjunction' });
  const reason =
    allowed.length === 0
      ? `${order.status} is final`
      : `from ${order.status} it can change to ${either.format(allowed)}`;
  return new DomainError(
    'invalid_transition',
    `Order ${order.id} is ${order.status} and cannot become ${to}: ${reason}.`,
  );
}

/** A request to change the status of an order. */
export interface StatusChangeRequest {
  caller: Caller;
  /** The order ID in the request. */
  id: string;
  to: OrderStatus;
  /** The `If-Match` header; undefined if the request has none. */
  ifMatch: string | undefined;
  /** Why the order is changed. */
  reason?: string | undefined;
}

/**
 * Changes the status of an order, as requested by its seller or agent. Returns null if the order already has that status and
 * nothing changes, so that a retried request is safe.
 *
 * @param found The order, or null if it does not exist.
 * @throws DomainError `order_not_found`, `account_kind_not_allowed`, `precondition_failed`, `invalid_transition`.
 */
export function changeStatus(
  request: StatusChangeRequest,
  found: OrderContext | null,
  context: CommandContext,
): OrderMutation | null {
  const { caller, id, to, ifMatch, reason } = request;
  if (found === null || !isVisibleTo(found.order, caller)) throw orderNotFound(id);
  const { order, listing, task } = found;
  if (caller.kind === 'buyer') {
    throw new DomainError(
      'account_kind_not_allowed',
      "A buyer account may not change an order's status. Ask the order's seller or agent.",
    );
  }
  // Before If-Match: otherwise a repeated request with If-Match would fail because of its own first success.
  if (order.status === to) return null;
  if (ifMatch !== undefined && !ifMatchSatisfied(order, ifMatch)) {
    throw new DomainError(
      'precondition_failed',
      `Order ${order.id} is ${order.status} and its ETag is ${formatEtag(order)}, not ${ifMatch}. Read the order again before you change it.`,
    );
  }
  if (!allowedTransitions(order.status).includes(to)) throw invalidTransition(order, to);

  // If the clock was set back, the change must not come before the order's creation.
  const updatedAt = Math.max(context.now, order.updatedAt);
  const changed: Order = {
    ...order,
    status: to,
    version: order.version + 1,
    updatedAt,
  };
  const events = [orderStatusChanged(changed, order.status, reason, context)];
  const completed = task === null ? null : completeTask(task, context.now);
  if (completed !== null) {
    events.push(taskCompleted(completed, to, toTaskOrder(changed), context));
  }
  return {
    order: changed,
    listing: to === 'cancelled' ? releaseUnits(listing, order.quantity) : listing,
    task: completed,
    events: causedBy(caller, events),
  };
}
