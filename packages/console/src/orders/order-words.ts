import { type OrderStatus, orderTransitions } from '@tradepost/sdk';
import type { Tone } from '../ui/badge';
import type { HowToLines } from '../ui/how-to';

/** What each status of an order looks like. Others are plain: the service may add statuses. */
const tones: Record<OrderStatus, Tone> = {
  pending: 'warn',
  confirmed: 'info',
  fulfilling: 'info',
  completed: 'good',
  cancelled: 'plain',
};

/** Returns how a status looks. */
export function getStatusTone(status: string): Tone {
  return Object.hasOwn(tones, status) ? tones[status as OrderStatus] : 'plain';
}

/** Returns the statuses to which an order can move. */
export function getNextStatuses(status: string): readonly OrderStatus[] {
  return Object.hasOwn(orderTransitions, status) ? orderTransitions[status as OrderStatus] : [];
}

/** What a button says that moves an order to a status. */
export const moveWords: Record<OrderStatus, string> = {
  pending: 'Reopen order',
  confirmed: 'Confirm order',
  fulfilling: 'Start fulfilling order',
  completed: 'Complete order',
  cancelled: 'Cancel order',
};

/** What a call sends that moves an order to a status. */
export function toUpdate<Status extends string>(
  status: Status,
  reason: string,
): { status: Status; reason?: string } {
  const given = reason.trim();
  return { status, ...(given !== '' && { reason: given }) };
}

/** The command that moves orders to a status, each only if it is as it was seen. */
export function toSetStatus(
  orders: readonly { id: string; status: string }[],
  to: OrderStatus | '',
  reason: string,
): HowToLines['cli'] {
  const [seen, ...others] = new Set(orders.map(({ status }) => status));
  if (seen === undefined || others.length > 0) {
    return { none: 'none does the same for orders of several statuses' };
  }
  const ids = orders.map(({ id }) => id);
  const given = reason.trim();
  const options = ['--if-status', seen, ...(given === '' ? [] : ['--reason', given])];
  return ['orders', 'set-status', ...ids, to || 'STATUS', ...options];
}
