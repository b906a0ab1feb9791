import { type EventType, testIdMark, type WebhookEvent } from '@tradepost/contract';
import type { CommandContext } from '../kernel/context';
import { type StoredEvent, serializeEvent, type WithoutTime } from './event';

/** Builds sample data for an event type. Its IDs are new and do not refer to anything. */
function buildTestEvent(event: EventType, { newId }: CommandContext): WithoutTime<WebhookEvent> {
  switch (event) {
    case 'order.created':
      return {
        event,
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
        event,
        data: { orderId: newId('ord'), previousStatus: 'pending', status: 'fulfilling' },
      };
    case 'task.approval_requested':
    case 'task.completed':
      return {
        event,
        data: { taskId: newId('tsk'), orderId: newId('ord'), agentId: newId('usr') },
      };
    case 'listing.availability_low':
      return {
        event,
        data: {
          listingId: newId('lst'),
          sellerId: newId('usr'),
          availableQuantity: 4,
          threshold: 10,
        },
      };
  }
}

/**
 * Creates a test event: a complete envelope with sample data that appears in no account's event log. The IDs in its body are marked,
 * so that what both signatures cover says that it is a test.
 */
export function createTestEvent(eventType: EventType, outer: CommandContext): StoredEvent {
  const context: CommandContext = {
    now: outer.now,
    newId: (prefix) => outer.newId(prefix).replace('_', `_${testIdMark}`),
  };
  return {
    // Without the mark: events are removed by the time in their IDs.
    id: outer.newId('evt'),
    eventType,
    createdAt: context.now,
    orderId: null,
    orderVersion: null,
    body: serializeEvent(buildTestEvent(eventType, context), context.now),
  };
}
