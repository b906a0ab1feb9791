import type { WebhookEvent } from '@tradepost/contract';
import { timestamp } from '../clock';
import type { Moment } from '../moment';

/** Something that happened, for whom, and the bytes that tell it. */
export interface DomainEvent {
  /** `evt_<id>`: what `webhook-id` carries in every attempt of every delivery. */
  id: string;
  kind: WebhookEvent['event'];
  /** Milliseconds since 1970. */
  createdAt: number;
  /** The envelope as JSON, rendered once: each attempt of each delivery sends these bytes. */
  body: string;
  /** The order it is about, or that caused it. */
  orderId: string;
  /** Accounts that are told, each once. */
  recipients: string[];
  /** What the notification says. */
  message: string;
}

/** What is kept of an event. A sample is about no order, and nobody but its webhook is told. */
export type KeptEvent = Pick<DomainEvent, 'id' | 'kind' | 'createdAt' | 'body'> & {
  orderId: string | null;
};

/** An event before it has a time. */
export type WithoutTime<Event> = Event extends WebhookEvent ? Omit<Event, 'createdAt'> : never;

/** The envelope of an event as JSON: exactly `event`, `createdAt` and `data`, in this order. */
export function renderEnvelope({ event, data }: WithoutTime<WebhookEvent>, now: number): string {
  return JSON.stringify({ event, createdAt: timestamp(now), data });
}

/** A new event. */
export function newEvent(
  happened: WithoutTime<WebhookEvent>,
  about: { orderId: string; recipients: (string | null)[]; message: string },
  moment: Moment,
): DomainEvent {
  return {
    id: moment.newId('evt'),
    kind: happened.event,
    createdAt: moment.now,
    body: renderEnvelope(happened, moment.now),
    orderId: about.orderId,
    recipients: [...new Set(about.recipients.filter((id) => id !== null))],
    message: about.message,
  };
}
