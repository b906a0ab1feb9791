import type { Order } from '@tradepost/sdk';
import type { View } from '../../output/format';
import type { StyleName } from '../../output/text';

/** A map, since a service may add statuses. */
const styles: ReadonlyMap<string, StyleName> = new Map([
  ['pending', 'yellow'],
  ['confirmed', 'cyan'],
  ['fulfilling', 'blue'],
  ['completed', 'green'],
  ['cancelled', 'dim'],
]);

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
    { title: 'ID', field: 'id' },
    { title: 'STATUS', field: 'status', style: ({ status }) => styles.get(status) ?? null },
    { title: 'QUANTITY', field: 'quantity', align: 'right' },
    { title: 'CREATED', field: 'createdAt', whenNarrow: 'leave-out' },
    { title: 'LISTING', field: 'listingId', whenNarrow: 'leave-out' },
    { title: 'BUYER', field: 'buyerId', whenNarrow: 'leave-out' },
    { title: 'SELLER', field: 'sellerId', whenNarrow: 'leave-out' },
    { title: 'AGENT', field: 'agentId', whenNarrow: 'leave-out' },
  ],
};
