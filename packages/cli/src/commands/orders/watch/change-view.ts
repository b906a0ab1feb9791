import type { View } from '../../../output/view';

export interface OrderChange {
  createdAt: string;
  event: string;
  orderId: string;
  /** The status before; null for a new order, or if it is not known. */
  from: string | null;
  to: string;
  /** Why it changed; null if no reason was given, or if it is not known. */
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
