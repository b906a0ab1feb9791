import type { View } from '../output/column';

/** Something that happened to an order. */
export interface OrderChange {
  /** When it happened: ISO 8601, UTC. */
  createdAt: string;
  /** What happened: `order.created` or `order.status_changed`. */
  event: string;
  /** The order, `ord_<id>`. */
  orderId: string;
  /** The status that it was in before; null when it was not there, or when that is not told. */
  from: string | null;
  /** The status that it is in since. */
  to: string;
}

/** How what happens to orders is shown. */
export const orderChangeView: View<OrderChange> = {
  fields: ['createdAt', 'event', 'orderId', 'from', 'to'],
  columns: [
    // Rows come one by one: as wide as they get from the first on, so that they stay aligned.
    { title: 'AT'.padEnd(24), field: 'createdAt', text: ({ createdAt }) => createdAt },
    { title: 'ORDER'.padEnd(30), field: 'orderId', text: ({ orderId }) => orderId },
    { title: 'FROM'.padEnd(10), field: 'from', text: ({ from }) => from ?? '-' },
    { title: 'TO'.padEnd(10), field: 'to', text: ({ to }) => to },
    { title: 'EVENT', field: 'event', text: ({ event }) => event, whenNarrow: 'leave-out' },
  ],
};

/** The fields of what happens to orders, for help pages. */
export const orderChangeShape = `{ ${orderChangeView.fields.join(', ')} }`;
