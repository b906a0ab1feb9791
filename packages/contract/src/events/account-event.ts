import type { WebhookEvent } from './webhook-event';

/** How many seconds a request for events may wait for one; it does not wait unless told. */
export const eventWait = { min: 0, max: 30, default: 0 } as const;

/** An event that the account may see: what its deliveries carry, and its id. */
export type AccountEvent = {
  /** `evt_<id>`: what the header `webhook-id` of its deliveries says. */
  id: string;
} & WebhookEvent;

/** Query of `GET /v1/events`. It has `after` or `since` or neither, never both. */
export interface ListEvents {
  /** `nextCursor` of the page before: only events that follow it. */
  after?: string;
  /** Only events of this moment (inclusive) or after it, ISO 8601. */
  since?: string;
  /** How many events a page holds at most: 1 to 100, 50 unless told. */
  limit?: number;
  /** How many seconds to wait for an event when there is none yet: 0 to 30, 0 unless told. */
  waitSeconds?: number;
}

/** One page of the account's events, oldest first. Unlike that of a list, no page is the last. */
export interface EventsPage {
  /** The events of this page; empty when nothing has happened yet. */
  data: AccountEvent[];
  /** What `after` must be to go on from here. It is always there. */
  nextCursor: string;
}
