import type { Notification } from '@tradepost/sdk';
import type { View } from '../../output/view';

export const notificationView: View<Notification> = {
  fields: ['id', 'type', 'orderId', 'message', 'read', 'createdAt'],
  columns: [
    { title: 'ID', field: 'id' },
    {
      title: 'READ',
      field: 'read',
      text: ({ read }) => (read ? 'yes' : 'no'),
      style: ({ read }) => (read ? 'dim' : 'yellow'),
    },
    // Never shortened: people copy the ID of the order.
    { title: 'MESSAGE', field: 'message', whenNarrow: 'wrap' },
    { title: 'CREATED', field: 'createdAt', whenNarrow: 'leave-out' },
    { title: 'ORDER', field: 'orderId', whenNarrow: 'leave-out' },
    { title: 'TYPE', field: 'type', whenNarrow: 'leave-out' },
  ],
};
