import type { WebhookEvent } from './event';

/** The IDs in the data of samples. */
export type SampleIds = Record<
  'agentId' | 'buyerId' | 'listingId' | 'orderId' | 'sellerId' | 'taskId' | 'webhookId',
  string
>;

/** The data of each event type. */
export type EventData = { readonly [Event in WebhookEvent as Event['event']]: Event['data'] };

/** Returns plausible data for each event type. */
export function sampleData(ids: SampleIds): EventData {
  const { agentId, buyerId, listingId, orderId, sellerId, taskId, webhookId } = ids;
  const task = { taskId, orderId, agentId };
  return {
    'order.created': {
      orderId,
      buyerId,
      sellerId,
      agentId,
      listingId,
      quantity: 25,
      status: 'pending',
    },
    'order.status_changed': { orderId, previousStatus: 'pending', status: 'fulfilling' },
    'task.approval_requested': task,
    'task.completed': task,
    'listing.availability_low': { listingId, sellerId, availableQuantity: 4, threshold: 10 },
    'webhook.disabled': {
      webhookId,
      url: 'https://receiver.example/tradepost',
      failingSince: '2026-11-18T09:25:00.000Z',
      disabledAt: '2026-11-21T09:30:00.000Z',
      lastStatus: 503,
      lastError: null,
    },
  };
}
