import type { AccountEvent } from '@tradepost/sdk';
import { assertObject } from '../../../errors/cli-error';
import type { View } from '../../../output/view';

export interface OrderChange {
  createdAt: string;
  event: string;
  orderId: string;
  /** The status before; null for a new order. */
  from: string | null;
  to: string;
  /** Why it changed; null if no reason was given. */
  reason: string | null;
}

export const orderChangeView: View<OrderChange> = {
  fields: ['createdAt', 'event', 'orderId', 'from', 'to', 'reason'],
  hasExactTimes: true,
  columns: [
    { title: 'AT', field: 'createdAt' },
    // Rows arrive one by one: full width from the start keeps them aligned.
    { title: 'ORDER', field: 'orderId', minWidth: 30 },
    { title: 'FROM', field: 'from', minWidth: 10 },
    { title: 'TO', field: 'to', minWidth: 10 },
    { title: 'EVENT', field: 'event', minWidth: 20, whenNarrow: 'leave-out' },
    {
      title: 'REASON',
      field: 'reason',
      text: ({ reason }) => reason ?? '',
      whenNarrow: 'leave-out',
    },
  ],
};

/** Returns the change of an order that an event tells about; null for other events. */
export function toChange(event: AccountEvent): OrderChange | null {
  const { createdAt } = assertObject(event);
  switch (event.event) {
    case 'order.created': {
      const { orderId, status } = assertObject(event.data);
      return { createdAt, event: event.event, orderId, from: null, to: status, reason: null };
    }
    case 'order.status_changed': {
      const { orderId, previousStatus, status, reason = null } = assertObject(event.data);
      return { createdAt, event: event.event, orderId, from: previousStatus, to: status, reason };
    }
    default:
      return null;
  }
}
