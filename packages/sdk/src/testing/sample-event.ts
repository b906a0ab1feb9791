import type { EventOf, KnownWebhookEvent } from '../webhooks/webhook-event';

type EventKind = KnownWebhookEvent['event'];

/** What of a sample is to differ. */
export interface SampleOverrides<Kind extends EventKind> {
  /** When the event happened: ISO 8601, UTC. */
  createdAt?: string;
  /** Fields of `data`; those that are left out keep the sample's values. */
  data?: Partial<EventOf<Kind>['data']>;
}

const ids = {
  agentId: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GA',
  buyerId: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GB',
  listingId: 'lst_01KAJ8Q0V7T3M5X9R2C4D6F8GC',
  orderId: 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GD',
  sellerId: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GE',
  taskId: 'tsk_01KAJ8Q0V7T3M5X9R2C4D6F8GF',
};
const { agentId, buyerId, listingId, orderId, sellerId, taskId } = ids;

const samples: { readonly [Kind in EventKind]: EventOf<Kind>['data'] } = {
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
  'task.approval_requested': { taskId, orderId, agentId },
  'task.completed': { taskId, orderId, agentId },
  'listing.availability_low': { listingId, sellerId, availableQuantity: 4, threshold: 10 },
};

/**
 * A whole event of one kind with made-up data, the same at every call. Its fields come in the order
 * that the service writes them in.
 */
export function sampleEvent<Kind extends EventKind>(
  kind: Kind,
  { createdAt = '2026-11-21T09:30:00.000Z', data }: SampleOverrides<Kind> = {},
): EventOf<Kind> {
  const sample = { event: kind, createdAt, data: { ...samples[kind], ...data } };
  // TypeScript does not follow that kind and data belong together.
  return sample as unknown as EventOf<Kind>;
}
