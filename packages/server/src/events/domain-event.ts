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

type WithoutTime<Event> = Event extends WebhookEvent ? Omit<Event, 'createdAt'> : never;

/** A new event: the envelope has exactly `event`, `createdAt` and `data`, in this order. */
export function newEvent(
  happened: WithoutTime<WebhookEvent>,
  about: { orderId: string; recipients: (string | null)[]; message: string },
  moment: Moment,
): DomainEvent {
  const { event, data } = happened;
  return {
    id: moment.newId('evt'),
    kind: event,
    createdAt: moment.now,
    body: JSON.stringify({ event, createdAt: timestamp(moment.now), data }),
    orderId: about.orderId,
    recipients: [...new Set(about.recipients.filter((id) => id !== null))],
    message: about.message,
  };
}
