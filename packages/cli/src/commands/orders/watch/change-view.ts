import type { View } from '../../../output/format';

export interface OrderChange {
  createdAt: string;
  event: string;
  orderId: string;
  /** The status before; null for a new order, or if it is not known. */
  from: string | null;
  to: string;
}

export const orderChangeView: View<OrderChange> = {
  fields: ['createdAt', 'event', 'orderId', 'from', 'to'],
  isStream: true,
  columns: [
    { title: 'AT', field: 'createdAt' },
    // Rows arrive one by one: full width from the start keeps them aligned.
    { title: 'ORDER'.padEnd(30), field: 'orderId' },
    { title: 'FROM'.padEnd(10), field: 'from' },
    { title: 'TO'.padEnd(10), field: 'to' },
    { title: 'EVENT', field: 'event', whenNarrow: 'leave-out' },
  ],
};
