import type { View } from '../../../output/format';

/** A change of an order. */
export interface OrderChange {
  /** When it happened: ISO 8601, UTC. */
  createdAt: string;
  /** `order.created` or `order.status_changed` */
  event: string;
  /** `ord_<id>` */
  orderId: string;
  /** The status before; null for a new order, or if it is not known. */
  from: string | null;
  /** The status after. */
  to: string;
}

/** How changes are shown. */
export const orderChangeView: View<OrderChange> = {
  fields: ['createdAt', 'event', 'orderId', 'from', 'to'],
  columns: [
    // Rows arrive one by one: full width from the start keeps them aligned.
    { title: 'AT'.padEnd(24), field: 'createdAt' },
    { title: 'ORDER'.padEnd(30), field: 'orderId' },
    { title: 'FROM'.padEnd(10), field: 'from' },
    { title: 'TO'.padEnd(10), field: 'to' },
    { title: 'EVENT', field: 'event', whenNarrow: 'leave-out' },
  ],
};
