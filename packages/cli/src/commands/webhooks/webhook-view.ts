import type { WebhookDetails } from '@tradepost/sdk';
import type { View } from '../../output/view';

export const webhookView: View<WebhookDetails> = {
  fields: [
    'id',
    'url',
    'events',
    'status',
    'createdAt',
    'updatedAt',
    'stagedSecretAt',
    'pendingDeliveries',
    'consecutiveFailures',
    'backoffUntil',
  ],
  columns: [
    { title: 'ID', field: 'id' },
    {
      title: 'STATUS',
      field: 'status',
      style: ({ status }) =>
        status === 'active' ? 'green' : status === 'paused' ? 'yellow' : null,
    },
    {
      title: 'FAILURES',
      field: 'consecutiveFailures',
      align: 'right',
      style: ({ consecutiveFailures }) => (consecutiveFailures > 0 ? 'red' : null),
    },
    { title: 'URL', field: 'url', whenNarrow: 'shorten' },
    {
      title: 'PENDING',
      field: 'pendingDeliveries',
      align: 'right',
      whenNarrow: 'leave-out',
    },
    { title: 'EVENTS', field: 'events', whenNarrow: 'leave-out' },
    { title: 'CREATED', field: 'createdAt', whenNarrow: 'leave-out' },
  ],
};
