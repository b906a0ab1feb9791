import { type Column, formatField, type View } from '../../output/format';
import type { StyleName } from '../../output/text';
import { hasName, type NamedOrder, nameFields } from './names';

/** A map, since a service may add statuses. */
const styles: ReadonlyMap<string, StyleName> = new Map([
  ['pending', 'yellow'],
  ['confirmed', 'cyan'],
  ['fulfilling', 'blue'],
  ['completed', 'green'],
  ['cancelled', 'dim'],
]);

const mainColumns: readonly Column<NamedOrder>[] = [
  { title: 'ID', field: 'id' },
  { title: 'STATUS', field: 'status', style: ({ status }) => styles.get(status) ?? null },
  { title: 'QUANTITY', field: 'quantity', align: 'right' },
  { title: 'CREATED', field: 'createdAt', whenNarrow: 'leave-out' },
];

const idColumns: readonly (Column<NamedOrder> & { field: keyof typeof nameFields })[] = [
  { title: 'LISTING', field: 'listingId', whenNarrow: 'leave-out' },
  { title: 'BUYER', field: 'buyerId', whenNarrow: 'leave-out' },
  { title: 'SELLER', field: 'sellerId', whenNarrow: 'leave-out' },
  { title: 'AGENT', field: 'agentId', whenNarrow: 'leave-out' },
];

export const orderView: View<NamedOrder> = {
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
  columns: [...mainColumns, ...idColumns],
};

/** Has names in the columns of the IDs, as far as the service sent them. */
export const namedOrderView: View<NamedOrder> = {
  fields: orderView.fields.flatMap((field) =>
    hasName(field) ? [field, nameFields[field]] : [field],
  ),
  columns: [
    ...mainColumns,
    ...idColumns.map((column) => ({
      ...column,
      text: (order: NamedOrder) =>
        order[nameFields[column.field]] ?? formatField(order[column.field]),
    })),
  ],
};
