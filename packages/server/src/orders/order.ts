import type { Order as OrderAnswer, OrderStatus } from '@tradepost/contract';
import type { Caller } from '../accounts/account';
import { timestamp } from '../clock';
import { DomainError } from '../domain-error';

/** An order as the domain keeps it. */
export interface Order {
  /** `ord_<id>`. */
  id: string;
  status: OrderStatus;
  buyerId: string;
  sellerId: string;
  agentId: string | null;
  listingId: string;
  quantity: number;
  /** 1 for a new order, one more with each change: the order's ETag. */
  version: number;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Milliseconds since 1970. */
  updatedAt: number;
}

const moves: Record<OrderStatus, readonly OrderStatus[]> = {
  pending: ['confirmed', 'fulfilling', 'cancelled'],
  confirmed: ['fulfilling', 'cancelled'],
  fulfilling: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
};

/** The states that an order may move to from the one it is in. */
export function nextStatuses(status: OrderStatus): readonly OrderStatus[] {
  return moves[status];
}

/** The accounts that an order concerns. */
export function partiesOf(order: Order): (string | null)[] {
  return [order.buyerId, order.sellerId, order.agentId];
}

/** Whether an account may learn that an order exists: its buyer, seller and agent may. */
export function isVisibleTo(order: Order, caller: Caller): boolean {
  return partiesOf(order).includes(caller.accountId);
}

/** The problem of asking for an order that is not there, or that the caller may not know of. */
export function orderNotFound(id: string): DomainError {
  return new DomainError(
    'order_not_found',
    `No order ${JSON.stringify(id)} is visible to this account. Check the id, which reads ord_<id>, and whose key this is.`,
  );
}

/** An order's entity tag: its version in quotes. Source: RFC 9110, section 8.8.3. */
export function etagOf(order: Order): string {
  return `"${order.version}"`;
}

/**
 * Whether an `If-Match` header allows the change of an order: `*`, or a list with its entity tag.
 * A weak tag never matches, since a write needs the strong comparison. Source: RFC 9110, section 13.1.1.
 */
export function matchesEtag(order: Order, ifMatch: string): boolean {
  if (ifMatch.trim() === '*') return true;
  // A tag may hold commas, so the list is not to be split at them.
  const tags = ifMatch.matchAll(/(?:^|,)\s*((?:W\/)?"[^"]*")\s*(?=,|$)/g);
  return [...tags].some(([, tag]) => tag === etagOf(order));
}

/** An order as the interface shows it. */
export function presentOrder(order: Order): OrderAnswer {
  return {
    id: order.id,
    status: order.status,
    buyerId: order.buyerId,
    sellerId: order.sellerId,
    agentId: order.agentId,
    listingId: order.listingId,
    quantity: order.quantity,
    createdAt: timestamp(order.createdAt),
    updatedAt: timestamp(order.updatedAt),
  };
}
