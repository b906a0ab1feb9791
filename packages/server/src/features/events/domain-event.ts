import type { EventType, WebhookEvent } from '@tradepost/contract';
import { type CommandContext, formatTimestamp } from '../../kernel/context';

/** Something that happened, its recipients and its serialized envelope. */
export interface DomainEvent {
  /** `evt_<id>`. Sent as `webhook-id` in every attempt of every delivery. */
  id: string;
  eventType: WebhookEvent['event'];
  /** Milliseconds since 1970. */
  createdAt: number;
  /** The envelope as JSON, serialized once. Each attempt of each delivery sends these bytes. */
  body: string;
  /** The order that the event is about, or that caused it. */
  orderId: string;
  /** Accounts that are notified, without duplicates. */
  recipients: string[];
  /** The text of the notification. */
  message: string;
}

/** The stored part of an event. A test event has no order and no recipients except its webhook. */
export type StoredEvent = Pick<DomainEvent, 'id' | 'eventType' | 'createdAt' | 'body'> & {
  orderId: string | null;
};

/** An event without its timestamp. */
export type WithoutTime<Event> = Event extends WebhookEvent ? Omit<Event, 'createdAt'> : never;

/** Serializes the envelope of an event as JSON: exactly `event`, `createdAt` and `data`, in this order. */
export function serializeEvent({ event, data }: WithoutTime<WebhookEvent>, now: number): string {
  return JSON.stringify({ event, createdAt: formatTimestamp(now), data });
}

/** Creates an event. */
export function createEvent(
  happened: WithoutTime<WebhookEvent>,
  about: { orderId: string; recipients: (string | null)[]; message: string },
  context: CommandContext,
): DomainEvent {
  return {
    id: context.newId('evt'),
    eventType: happened.event,
    createdAt: context.now,
    body: serializeEvent(happened, context.now),
    orderId: about.orderId,
    recipients: [...new Set(about.recipients.filter((id) => id !== null))],
    message: about.message,
  };
}

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

/** Creates a test event: a complete envelope with sample data that appears in no account's event log. */
export function createTestEvent(eventType: EventType, context: CommandContext): StoredEvent {
  return {
    id: context.newId('evt'),
    eventType,
    createdAt: context.now,
    orderId: null,
    body: serializeEvent(buildTestEvent(eventType, context), context.now),
  };
}
