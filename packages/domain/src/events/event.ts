import type { AccountKind, EventActor, WebhookEvent } from '@tradepost/contract';
import { type CommandContext, formatTimestamp } from '../kernel/context';

/** Something that happened, its recipients and its serialized envelope. */
export interface DomainEvent {
  /** `evt_<id>`. Sent as `webhook-id` in every attempt of every delivery. */
  id: string;
  eventType: WebhookEvent['event'];
  /** Milliseconds since 1970. */
  createdAt: number;
  /** The envelope as JSON, serialized once. Each attempt of each delivery sends these bytes. */
  body: string;
  /** The order that the event is about, or that caused it; null if the event is about no order. */
  orderId: string | null;
  /** The order that its notifications name, if the event is about none; without either, nobody is notified. */
  notifiedOrderId?: string | null;
  /** A webhook of a recipient that does not get it. */
  exceptWebhookId?: string;
  /** The version of the order after the change that caused the event; null if the event is not about an order. */
  orderVersion: number | null;
  /** Accounts that are notified, without duplicates. */
  recipients: string[];
  /** The text of the notification. */
  message: string;
  /** The account whose request caused the event; null if none did, and for events from before this was stored. */
  actorId: string | null;
  /** The kind of that account. */
  actorKind: AccountKind | null;
}

/** The stored part of an event. A test event has no order and no recipients except its webhook. */
export type StoredEvent = Pick<
  DomainEvent,
  'id' | 'eventType' | 'createdAt' | 'body' | 'orderId' | 'orderVersion' | 'actorId' | 'actorKind'
>;

/** An event without its timestamp. */
export type WithoutTime<Event> = Event extends WebhookEvent ? Omit<Event, 'createdAt'> : never;

/** Serializes the envelope of an event as JSON: exactly `event`, `createdAt` and `data`, in this order. */
export function serializeEvent({ event, data }: WithoutTime<WebhookEvent>, now: number): string {
  return JSON.stringify({ event, createdAt: formatTimestamp(now), data });
}

/** Creates an event, of which `causedBy` says who caused it. */
export function createEvent(
  happened: WithoutTime<WebhookEvent>,
  about: Pick<DomainEvent, 'orderId' | 'orderVersion' | 'message'> & {
    recipients: (string | null)[];
  },
  context: CommandContext,
): DomainEvent {
  return {
    id: context.newId('evt'),
    eventType: happened.event,
    createdAt: context.now,
    body: serializeEvent(happened, context.now),
    orderId: about.orderId,
    orderVersion: about.orderVersion,
    recipients: [...new Set(about.recipients.filter((id) => id !== null))],
    message: about.message,
    actorId: null,
    actorKind: null,
  };
}

/** Returns the events of a change with the account that requested it. */
export function causedBy({ accountId, kind }: EventActor, events: DomainEvent[]): DomainEvent[] {
  return events.map((event) => ({ ...event, actorId: accountId, actorKind: kind }));
}

/** Converts the actor of an event to the contract's actor. */
export function toActorResponse({
  actorId,
  actorKind,
}: Pick<StoredEvent, 'actorId' | 'actorKind'>): EventActor | null {
  return actorId === null || actorKind === null ? null : { accountId: actorId, kind: actorKind };
}

/** How many sequence numbers each millisecond has. More events in one millisecond use those of the next. */
const sequencesPerMillisecond = 1_024;

/**
 * Returns the lowest sequence number that an event may have in the log. Each event gets a number above those committed before
 * it, and at least this one, so that a timestamp maps to a number without a search. The numbers stay exact in JavaScript until
 * the year 2248.
 *
 * @param timestamp Milliseconds since 1970. Negative values count as 0.
 */
export function firstSequenceAt(timestamp: number): number {
  return Math.min(Math.max(0, timestamp) * sequencesPerMillisecond, Number.MAX_SAFE_INTEGER);
}
