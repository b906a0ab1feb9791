import { type EventType, sampleData, testIdMark, type WebhookEvent } from '@tradepost/contract';
import type { CommandContext, IdPrefix } from '../kernel/context';
import { type StoredEvent, serializeEvent, type WithoutTime } from './event';

/**
 * Creates a test event: a complete envelope with sample data that appears in no account's event log. The IDs in its body are marked,
 * so that what both signatures cover says that it is a test.
 */
export function createTestEvent(eventType: EventType, outer: CommandContext): StoredEvent {
  const newId = (prefix: IdPrefix) => outer.newId(prefix).replace('_', `_${testIdMark}`);
  const data = sampleData({
    agentId: newId('usr'),
    buyerId: newId('usr'),
    listingId: newId('lst'),
    orderId: newId('ord'),
    sellerId: newId('usr'),
    taskId: newId('tsk'),
    webhookId: newId('whk'),
  })[eventType];
  // TypeScript cannot infer that type and data belong together.
  const event = { event: eventType, data } as WithoutTime<WebhookEvent>;
  return {
    // Without the mark: events are removed by the time in their IDs.
    id: outer.newId('evt'),
    eventType,
    createdAt: outer.now,
    orderId: null,
    orderVersion: null,
    actorId: null,
    actorKind: null,
    body: serializeEvent(event, outer.now),
  };
}
