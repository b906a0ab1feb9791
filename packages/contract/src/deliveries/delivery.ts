import type { EventType } from '../events/event';

/** Every delivery state. `delivered` and `failed` are final, unless the delivery is replayed. */
export const deliveryStates = ['pending', 'delivered', 'failed'] as const;

/** One delivery state. */
export type DeliveryState = (typeof deliveryStates)[number];

/** The state of the deliveries that a request replays that names none: a forgotten filter does not flood a receiver. */
export const defaultReplayState = 'failed' satisfies DeliveryState;

/** Every class of the last response to a delivery; `none` when the last attempt got no response. */
export const statusClasses = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;

/** One status class. */
export type StatusClass = (typeof statusClasses)[number];

/** The delivery of one event to one webhook, over all its attempts. */
export interface Delivery {
  /** `dlv_<id>`. IDs sort by creation time. */
  id: string;
  /** The webhook, `whk_<id>`. */
  webhookId: string;
  /** The event, `evt_<id>`: the same as the header `webhook-id`. */
  eventId: string;
  /** The event type. */
  event: EventType;
  /** The order that the event is about, or that caused it, `ord_<id>`. Null for a test event. */
  orderId: string | null;
  /** `pending` until a receiver responds with a 2xx (`delivered`) or the deadline passes (`failed`). */
  state: DeliveryState;
  /** Whether it carries a test event. A test event is attempted once. */
  test: boolean;
  /** Number of attempts so far. */
  attemptCount: number;
  /** HTTP status of the response to the last attempt. Null when there was no response. */
  lastStatus: number | null;
  /**
   * Why the last attempt got no complete response: a name of `attemptErrors`, such as `timeout`. Null
   * when it got one, or before the first attempt.
   */
  lastError: string | null;
  /**
   * When the next attempt is due: ISO 8601, UTC, with milliseconds. Null when the state is final, while
   * an attempt is in flight, and while the webhook is paused.
   */
  nextAttemptAt: string | null;
  /** When the service stops retrying: 24 hours after the event or the replay. ISO 8601, UTC, with milliseconds. */
  deadlineAt: string;
  /** When it was queued: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** When it was delivered or failed: ISO 8601, UTC, with milliseconds. Null while it is pending. */
  finishedAt: string | null;
}

/** One attempt of a delivery, and its result. */
export interface DeliveryAttempt {
  /** Number of the attempt within its delivery, from 1. */
  number: number;
  /** When it started: ISO 8601, UTC, with milliseconds. */
  startedAt: string;
  /** How long it took, in milliseconds. */
  durationMs: number;
  /** The URL that it was sent to. */
  url: string;
  /** The request headers by name, without `Host`, `Content-Length` and `Connection`. */
  headers: Record<string, string>;
  /** HTTP status of the response. Null when there was no response. */
  status: number | null;
  /** Why there was no complete response: a name of `attemptErrors`, such as `timeout`. Null when there was one. */
  error: string | null;
  /** The first 1,000 bytes of the response body, as text. */
  responseSnippet: string;
}

/** A delivery with its body and its attempts. */
export interface DeliveryDetails extends Delivery {
  /** The body of every attempt, byte for byte in UTF-8. */
  body: string;
  /** The attempts, oldest first; the newest 100 at most. */
  attempts: DeliveryAttempt[];
}

/** Query of `GET /v1/deliveries`. */
export interface ListDeliveries {
  /** Only deliveries to this webhook, `whk_<id>`. */
  webhookId?: string;
  /** Only deliveries of this event, `evt_<id>`. */
  eventId?: string;
  /** Only deliveries of events about this order, `ord_<id>`. */
  orderId?: string;
  /** Only deliveries of events of this type. */
  event?: EventType;
  /** Only deliveries in this state. */
  state?: DeliveryState;
  /** Only deliveries queued at or after this time, ISO 8601. */
  since?: string;
  /** Only deliveries queued before this time, ISO 8601. */
  until?: string;
  /** Only deliveries whose last response has this status class; `none` for those without a response. */
  statusClass?: StatusClass;
  /** Maximum number of deliveries per page: 1 to 100. @default 50 */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
}

/** Body of `POST /v1/webhooks/:id/replays`: which deliveries to replay. Without a filter, all that failed. */
export interface ReplayDeliveries {
  /** Only deliveries in this state. @default 'failed' */
  state?: DeliveryState;
  /** Only deliveries queued at or after this time, ISO 8601. */
  since?: string;
  /** Only deliveries queued before this time, ISO 8601. */
  until?: string;
  /** Only deliveries of events of this type. */
  event?: EventType;
  /** Only deliveries whose last response has this status class; `none` for those without a response. */
  statusClass?: StatusClass;
  /** Maximum number of deliveries: 1 to 500. @default 100 */
  limit?: number;
  /** `nextCursor` of the previous request. */
  cursor?: string;
}

/** What a request to replay deliveries did. */
export interface ReplayedDeliveries {
  /** How many are due again. */
  replayed: number;
  /** How many were left out because an attempt is in flight. */
  skipped: number;
  /** Pass it as `cursor` to replay the next ones. Null when there are no more. */
  nextCursor: string | null;
}
