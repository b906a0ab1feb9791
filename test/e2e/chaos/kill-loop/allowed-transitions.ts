import type { Order, OrderStatus } from '@tradepost/sdk';

/** The moves of DESIGN.md §3, written out once more: the server's own table is what is tested. */
const moves: Record<OrderStatus, readonly OrderStatus[]> = {
  pending: ['confirmed', 'fulfilling', 'cancelled'],
  confirmed: ['fulfilling', 'cancelled'],
  fulfilling: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
};

/** The states that an order may move to from one. */
export function movesFrom(status: OrderStatus): readonly OrderStatus[] {
  return moves[status];
}

/** Whether an order that was once in a state may be found in another, or in the same. */
export function mayFollow(before: OrderStatus, after: Order['status']): boolean {
  return before === after || moves[before].some((next) => mayFollow(next, after));
}
