import { type OrderStatus, orderStatuses, orderTransitions } from '@tradepost/sdk';
import type { OutcomeFailure, OutcomeKind } from '../bulk/outcome';

export interface StatusChange {
  status: OrderStatus;
  /** Only orders in this status are moved; null for any. */
  ifStatus: OrderStatus | null;
  /** Why, for the history of the orders. */
  reason?: string;
}

export interface StatusOutcome extends OutcomeFailure {
  id: string;
  outcome: OutcomeKind;
  /** The status before; null if it was not read. */
  from: string | null;
  /** The status after; null if unknown. */
  to: string | null;
}

/** The code of an order whose status is unknown after a lost response. */
export const inDoubtCode = 'in_doubt';

export function isOrderStatus(value: unknown): value is OrderStatus {
  return orderStatuses.some((status) => status === value);
}

/** Returns the statuses that may follow a status; null for a status that the contract does not have. */
export function getTransitions(status: string): readonly OrderStatus[] | null {
  return isOrderStatus(status) ? orderTransitions[status] : null;
}

/** Whether an order never leaves a status. */
export function isFinal(status: string | null): boolean {
  return status !== null && getTransitions(status)?.length === 0;
}

/** Whether an order needs no other attempt. */
export function isDone({ outcome }: StatusOutcome): boolean {
  return outcome === 'updated' || outcome === 'unchanged';
}
