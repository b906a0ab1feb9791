import type { EventKind } from '../events/webhook-event';

/** Every state of a delivery. `delivered` and `failed` are final, unless it is replayed. */
export const deliveryStates = ['pending', 'delivered', 'failed'] as const;

/** One state of a delivery. */
export type DeliveryState = (typeof deliveryStates)[number];

/** Every class that the last answer to a delivery may be of; `none` when the last attempt got no answer. */
export const httpClasses = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;

/** One class of answers. */
export type HttpClass = (typeof httpClasses)[number];

/** The sending of one event to one webhook, over all its attempts. */
export interface Delivery {
  /** `dlv_<id>`. Ids sort by creation. */
  id: string;
  /** The webhook it goes to, `whk_<id>`. */
  webhookId: string;
  /** The event it carries, `evt_<id>`: what its header `webhook-id` says. */
  eventId: string;
  /** The kind of that event. */
  event: EventKind;
  /** Where it stands: tried until a receiver answers with a 2xx or its time is over. */
  state: DeliveryState;
  /** Whether it carries a sample that the account asked for. It is tried once. */
  test: boolean;
  /** How many attempts were made so far. */
  attempts: number;
  /** HTTP status of the answer to the last attempt; null when there was none. */
  lastStatus: number | null;
  /** Why the last attempt got no whole answer, such as `timeout`; null when it got one or none was made. */
  lastError: string | null;
  /** When it is tried next: ISO 8601, UTC, with milliseconds; null once it is final, while an attempt is under way, and while its webhook is paused. */
  nextAttemptAt: string | null;
  /** When it is given up: 24 hours after its event or its replay. ISO 8601, UTC, with milliseconds. */
  deadlineAt: string;
  /** When it was queued: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** When it was delivered or failed: ISO 8601, UTC, with milliseconds; null while it is pending. */
  finishedAt: string | null;
}

/** One attempt to send a delivery, and how it went. */
export interface DeliveryAttempt {
  /** Which attempt of its delivery it was, counted from 1. */
  number: number;
  /** When it was made: ISO 8601, UTC, with milliseconds. */
  startedAt: string;
  /** How many milliseconds it took. */
  duration: number;
  /** The URL that it was posted to. */
  url: string;
  /** The headers as they were sent, by name, without those that follow from the rest: `Host`, `Content-Length` and `Connection`. */
  headers: Record<string, string>;
  /** HTTP status of the answer; null when there was none. */
  status: number | null;
  /** Why no whole answer came, such as `timeout` or `connection_refused`; null when one did. */
  error: string | null;
  /** The first 1,000 bytes of the answer's body, as text. */
  excerpt: string;
}

/** A delivery with what was sent and what came of it. */
export interface DeliveryDetails extends Delivery {
  /** The body that each attempt sends, byte for byte in UTF-8. */
  body: string;
  /** The attempts that were made, oldest first; of more than 100 the newest. */
  attemptLog: DeliveryAttempt[];
}

/** Query of `GET /v1/deliveries`. */
export interface ListDeliveries {
  /** Only deliveries to this webhook, `whk_<id>`. */
  webhookId?: string;
  /** Only deliveries of events of this kind. */
  event?: EventKind;
  /** Only deliveries in this state. */
  state?: DeliveryState;
  /** Only deliveries queued at this moment (inclusive) or after it, ISO 8601. */
  since?: string;
  /** Only deliveries whose last attempt was answered with a status of this class. */
  http?: HttpClass;
  /** How many deliveries a page holds at most: 1 to 100, 50 unless told. */
  limit?: number;
  /** `nextCursor` of the page before. */
  cursor?: string;
}
