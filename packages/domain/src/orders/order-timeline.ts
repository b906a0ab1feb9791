import {
  type OrderTimeline,
  type TimelineAttempt,
  type TimelineChange,
  type TimelineEntry,
  timelineLimits,
  type WebhookEvent,
} from '@tradepost/contract';
import {
  type LoggedAttempt,
  type LoggedDelivery,
  toDeliveryResponse,
} from '../deliveries/logged-delivery';
import { firstSequenceAt, type StoredEvent, toActorResponse } from '../events/event';
import { formatTimestamp } from '../kernel/context';
import type { Notification } from '../notifications/notification';
import type { Order } from './order';

/** An attempt in a timeline. */
export type PastAttempt = Pick<LoggedAttempt, keyof TimelineAttempt>;

/** A delivery in a timeline. */
export interface PastDelivery extends LoggedDelivery {
  /** The last attempts, oldest first. */
  attempts: PastAttempt[];
}

/** An event of an order, and what it caused for an account. */
export interface PastEvent
  extends Pick<StoredEvent, 'id' | 'eventType' | 'body' | 'createdAt' | 'actorId' | 'actorKind'> {
  /** The account's own notification; null if it is no longer stored. */
  notification: Pick<Notification, 'id' | 'read'> | null;
  /** The deliveries to the account's webhooks that are not deleted, in the order of their IDs. */
  deliveries: PastDelivery[];
}

/** What happened to an order, as far as it is in an account's event log. */
export interface PastOfOrder {
  order: Order;
  /** In the order of the log; the last ones, if there are more than the limit. */
  events: PastEvent[];
  /** The highest sequence number of what was removed from the account's event log; 0 if nothing was. */
  prunedTo: number;
}

/** Stores what timelines are made of. */
export interface TimelineStore {
  /**
   * Reads what happened to an order, in one transaction that sees one state. The cost does not depend on the size of the tables.
   *
   * @param accountId Whose event log, notifications and webhooks to read.
   * @param limits How many events, and how many attempts of each delivery.
   * @returns Null if there is no such order. Whether the account may see it is for the caller to decide.
   */
  readPast(
    accountId: string,
    orderId: string,
    limits: { entries: number; attempts: number },
  ): Promise<PastOfOrder | null>;
}

/** Returns the change of status that an event reports; null if it reports none. */
function toChange(event: PastEvent): TimelineChange | null {
  const happened = JSON.parse(event.body) as WebhookEvent;
  const actor = toActorResponse(event);
  switch (happened.event) {
    case 'order.created':
      return { from: null, to: happened.data.status, reason: null, actor };
    case 'order.status_changed': {
      const { previousStatus, status, reason = null } = happened.data;
      return { from: previousStatus, to: status, reason, actor };
    }
    default:
      return null;
  }
}

function toAttempt({ number, startedAt, durationMs, status, error }: PastAttempt): TimelineAttempt {
  return { number, startedAt: formatTimestamp(startedAt), durationMs, status, error };
}

function toEntry(event: PastEvent, now: number): TimelineEntry {
  const { id, eventType: type, createdAt, notification, deliveries } = event;
  return {
    change: toChange(event),
    event: { id, type, createdAt: formatTimestamp(createdAt) },
    notification,
    deliveries: deliveries.map((delivery) => ({
      ...toDeliveryResponse(delivery, now),
      attempts: delivery.attempts.map(toAttempt),
    })),
  };
}

/**
 * Returns the time from which on all events of an order are stored; null if none of them can have been removed. No event of an
 * account was created after the time of the highest sequence number that was removed from its log.
 */
function findPrunedBefore({ order, prunedTo }: PastOfOrder): number | null {
  const time = Math.floor(prunedTo / firstSequenceAt(1)) + 1;
  return time > order.createdAt ? time : null;
}

/** Converts what happened to an order to the contract's timeline. */
export function toTimelineResponse(past: PastOfOrder, now: number): OrderTimeline {
  const prunedBefore = findPrunedBefore(past);
  return {
    entries: past.events.slice(-timelineLimits.entries).map((event) => toEntry(event, now)),
    prunedBefore: prunedBefore === null ? null : formatTimestamp(prunedBefore),
  };
}
