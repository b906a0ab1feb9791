import type { Notification } from '@tradepost/sdk';
import type { View } from '../../output/column';

/** How notifications are shown. */
export const notificationView: View<Notification> = {
  fields: ['id', 'type', 'orderId', 'message', 'read', 'createdAt'],
  columns: [
    { title: 'ID', field: 'id', text: (notification) => notification.id },
    {
      title: 'READ',
      field: 'read',
      text: (notification) => (notification.read ? 'yes' : 'no'),
      look: (notification) => (notification.read ? 'dim' : 'yellow'),
    },
    {
      title: 'MESSAGE',
      field: 'message',
      text: (notification) => notification.message,
      whenNarrow: 'shorten',
    },
    {
      title: 'CREATED',
      field: 'createdAt',
      text: (notification) => notification.createdAt,
      whenNarrow: 'leave-out',
    },
    {
      title: 'ORDER',
      field: 'orderId',
      text: (notification) => notification.orderId,
      whenNarrow: 'leave-out',
    },
    {
      title: 'TYPE',
      field: 'type',
      text: (notification) => notification.type,
      whenNarrow: 'leave-out',
    },
  ],
};

/** The fields of a notification, for help pages. */
export const notificationShape = `{ ${notificationView.fields.join(', ')} }`;
