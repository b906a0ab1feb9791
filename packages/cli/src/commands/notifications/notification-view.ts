import type { Notification } from '@tradepost/sdk';
import type { View } from '../../output/column';

/** How notifications are shown. */
export const notificationView: View<Notification> = {
  fields: ['id', 'type', 'orderId', 'message', 'read', 'createdAt'],
  columns: [
    { title: 'ID', text: (notification) => notification.id },
    {
      title: 'READ',
      text: (notification) => (notification.read ? 'yes' : 'no'),
      look: (notification) => (notification.read ? 'dim' : 'yellow'),
    },
    { title: 'MESSAGE', text: (notification) => notification.message, whenNarrow: 'shorten' },
    { title: 'CREATED', text: (notification) => notification.createdAt, whenNarrow: 'leave-out' },
    { title: 'ORDER', text: (notification) => notification.orderId, whenNarrow: 'leave-out' },
    { title: 'TYPE', text: (notification) => notification.type, whenNarrow: 'leave-out' },
  ],
};

/** The fields of a notification, for help pages. */
export const notificationShape = `{ ${notificationView.fields.join(', ')} }`;
