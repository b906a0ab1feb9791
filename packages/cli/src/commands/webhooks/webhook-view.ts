import type { WebhookDetails } from '@tradepost/sdk';
import type { View } from '../../output/column';

/** How webhooks are shown. */
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
    'heldUntil',
  ],
  columns: [
    { title: 'ID', field: 'id', text: ({ id }) => id },
    {
      title: 'STATUS',
      field: 'status',
      text: ({ status }) => status,
      look: ({ status }) => (status === 'active' ? 'green' : status === 'paused' ? 'yellow' : null),
    },
    {
      title: 'PENDING',
      field: 'pendingDeliveries',
      text: ({ pendingDeliveries }) => String(pendingDeliveries),
      align: 'right',
    },
    {
      title: 'FAILURES',
      field: 'consecutiveFailures',
      text: ({ consecutiveFailures }) => String(consecutiveFailures),
      align: 'right',
      look: ({ consecutiveFailures }) => (consecutiveFailures > 0 ? 'red' : null),
    },
    { title: 'URL', field: 'url', text: ({ url }) => url, whenNarrow: 'shorten' },
    {
      title: 'EVENTS',
      field: 'events',
      text: ({ events }) => events.join(', '),
      whenNarrow: 'leave-out',
    },
    {
      title: 'CREATED',
      field: 'createdAt',
      text: ({ createdAt }) => createdAt,
      whenNarrow: 'leave-out',
    },
  ],
};

/** The fields of a webhook, for help pages. */
export const webhookShape = `{ ${webhookView.fields.join(', ')} }`;
