import type { Order, OrderStatus, Unrecognized } from '@tradepost/sdk';
import type { View } from '../../output/column';
import type { Look } from '../../output/style';

function lookOf(status: OrderStatus | Unrecognized): Look | null {
  switch (status) {
    case 'pending':
      return 'yellow';
    case 'confirmed':
      return 'cyan';
    case 'fulfilling':
      return 'blue';
    case 'completed':
      return 'green';
    case 'cancelled':
      return 'dim';
    default:
      return null;
  }
}

/** How orders are shown. */
export const orderView: View<Order> = {
  fields: [
    'id',
    'status',
    'buyerId',
    'sellerId',
    'agentId',
    'listingId',
    'quantity',
    'createdAt',
    'updatedAt',
  ],
  columns: [
    { title: 'ID', field: 'id', text: (order) => order.id },
    {
      title: 'STATUS',
      field: 'status',
      text: (order) => order.status,
      look: (order) => lookOf(order.status),
    },
    {
      title: 'QUANTITY',
      field: 'quantity',
      text: (order) => String(order.quantity),
      align: 'right',
    },
    {
      title: 'CREATED',
      field: 'createdAt',
      text: (order) => order.createdAt,
      whenNarrow: 'leave-out',
    },
    {
      title: 'LISTING',
      field: 'listingId',
      text: (order) => order.listingId,
      whenNarrow: 'leave-out',
    },
    { title: 'BUYER', field: 'buyerId', text: (order) => order.buyerId, whenNarrow: 'leave-out' },
    {
      title: 'SELLER',
      field: 'sellerId',
      text: (order) => order.sellerId,
      whenNarrow: 'leave-out',
    },
    {
      title: 'AGENT',
      field: 'agentId',
      text: (order) => order.agentId ?? '-',
      whenNarrow: 'leave-out',
    },
  ],
};

/** The fields of an order, for help pages. */
export const orderShape = `{ ${orderView.fields.join(', ')} }`;
