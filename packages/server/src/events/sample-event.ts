import type { EventKind, WebhookEvent } from '@tradepost/contract';
import type { Moment } from '../moment';
import { type KeptEvent, renderEnvelope, type WithoutTime } from './domain-event';

/** Made-up data of each kind: its ids are new and name nothing. */
function sampleOf(kind: EventKind, { newId }: Moment): WithoutTime<WebhookEvent> {
  switch (kind) {
    case 'order.created':
      return {
        event: kind,
        data: {
          orderId: newId('ord'),
          buyerId: newId('usr'),
          sellerId: newId('usr'),
          agentId: newId('usr'),
          listingId: newId('lst'),
          quantity: 25,
          status: 'pending',
        },
      };
    case 'order.status_changed':
      return {
        event: kind,
        data: { orderId: newId('ord'), previousStatus: 'pending', status: 'fulfilling' },
      };
    case 'task.approval_requested':
    case 'task.completed':
      return {
        event: kind,
        data: { taskId: newId('tsk'), orderId: newId('ord'), agentId: newId('usr') },
      };
    case 'listing.availability_low':
      return {
        event: kind,
        data: {
          listingId: newId('lst'),
          sellerId: newId('usr'),
          availableQuantity: 4,
          threshold: 10,
        },
      };
  }
}

/** A sample of an event kind: a whole envelope with made-up data, in no account's log of events. */
export function sampleEvent(kind: EventKind, moment: Moment): KeptEvent {
  return {
    id: moment.newId('evt'),
    kind,
    createdAt: moment.now,
    orderId: null,
    body: renderEnvelope(sampleOf(kind, moment), moment.now),
  };
}
