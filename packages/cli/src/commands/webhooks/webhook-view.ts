import type { WebhookDetails } from '@tradepost/sdk';
import type { View } from '../../output/view';

export const webhookView: View<WebhookDetails> = {
  fields: [
    'id',
    'url',
    'events',
    'status',
    'description',
    'headerNames',
    'attemptsPerMinute',
    'createdAt',
    'updatedAt',
    'stagedSecretAt',
    'pendingDeliveries',
    'consecutiveFailures',
    'backoffUntil',
    'lastStatus',
    'lastError',
    'failingSince',
    'disabledAt',
  ],
};
