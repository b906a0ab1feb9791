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
    'lastStatus',
    'lastError',
    'failingSince',
  ],
};
