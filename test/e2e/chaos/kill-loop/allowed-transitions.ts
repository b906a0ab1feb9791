import type { Order, OrderStatus } from '@tradepost/sdk';

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
