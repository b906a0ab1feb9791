import { setImmediate as nextTurn } from 'node:timers/promises';
import { type EventType, testIdMark, type WebhookEvent } from '@tradepost/contract';
import type { Clock, CommandContext } from '../../kernel/context';
import { formatTimestamp } from '../../kernel/context';
import { DomainError } from '../../kernel/errors';

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
  /** The version of the order after the change that caused the event; null if the event is not about an order. */
  orderVersion: number | null;
  /** Accounts that are notified, without duplicates. */
  recipients: string[];
  /** The text of the notification. */
  message: string;
}

/** The stored part of an event. A test event has no order and no recipients except its webhook. */
export type StoredEvent = Pick<
  DomainEvent,
  'id' | 'eventType' | 'createdAt' | 'body' | 'orderVersion'
> & {
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

/** An event in an account's log. */
export interface LoggedEvent {
  /** The sequence number in the log. It increases with each commit and is at least `firstSequenceAt(createdAt)`. */
  seq: number;
  /** `evt_<id>`. */
  id: string;
  /** The envelope as JSON. */
  body: string;
  /** Milliseconds since 1970, by a clock that may have been behind others. */
  createdAt: number;
}

/** The end of an account's event log, and what was removed from it. */
export interface LogLimits {
  /** The sequence number of the last event that was committed: later ones get higher numbers. At least `prunedTo`. */
  last: number;
  /** The highest sequence number of the events that were removed by retention; 0 if none was. Older ones may still be stored. */
  prunedTo: number;
}

/** Stores the event log. Changes write to it in their own transaction. */
export interface EventStore {
  /**
   * Lists the events that an account may see after a sequence number, oldest first, up to `limit`. Later commits always get
   * higher numbers, so a reader that continues from its last event misses none. One range of one index: the cost depends only
   * on the page.
   *
   * @param orderId Only the events of this order. They are few, and found by an index: the cost does not depend on the log.
   */
  readEvents(
    accountId: string,
    after: number,
    limit: number,
    orderId?: string,
  ): Promise<LoggedEvent[]>;
  /** Returns the limits of an account's log. */
  findLimits(accountId: string): Promise<LogLimits>;
  /** Returns the `prunedTo` of these limits, which costs less. Read it after the events that it is compared with. */
  findPrunedTo(accountId: string): Promise<number>;
}

/** How many events are read at a time while all of them are too old, regardless of the page size. */
const scanBatchSize = 500;

/** What a reader requests from an account's event log. */
export interface LogQuery {
  /** Only events after this sequence number. */
  after?: number | undefined;
  /** Only events created at this time or later, in milliseconds since 1970. */
  since?: number | undefined;
  /** Only events of this order. */
  orderId?: string | undefined;
  /** The maximum number of events on a page. */
  limit: number;
}

/** One page of an account's log. */
export interface LogPage {
  /** Oldest first. */
  events: LoggedEvent[];
  /** The sequence number of the last event that was read, even if `since` excluded it. The next page starts after it. */
  end: number;
}

/** Returns the sequence number after which a page starts. No event of `since` or later comes before it. */
function findStart({ after = 0, since }: LogQuery): number {
  return since === undefined ? after : Math.max(after, firstSequenceAt(since) - 1);
}

/**
 * Reads one page of an account's event log. The page is empty only if nothing follows.
 *
 * Events that were committed late come after newer ones, so older events may follow the first sequence number of `since`;
 * many of them after the clock was set back. They are filtered here and not by the store, so that each read of the store is
 * one page of one range and other work gets a turn in between.
 *
 * @param signal Stops the search for events that are not too old.
 */
export async function readLogPage(
  store: EventStore,
  accountId: string,
  query: LogQuery,
  signal: AbortSignal,
): Promise<LogPage> {
  const { since = Number.NEGATIVE_INFINITY, limit, orderId } = query;
  let size = limit;
  for (let end = findStart(query); ; await nextTurn()) {
    const lines = await store.readEvents(accountId, end, size, orderId);
    const events = lines.filter(({ createdAt }) => createdAt >= since).slice(0, limit);
    end = (events.length === limit ? events : lines).at(-1)?.seq ?? end;
    if (events.length > 0 || lines.length < size || signal.aborted) return { events, end };
    size = Math.max(limit, scanBatchSize);
  }
}

/** A position in an event log, from which a client continues. */
export interface LogPosition {
  /** The sequence number of the last event before it. */
  sequence: number;
  /** The highest sequence number of what had been removed when the client started, so that the client did not expect it. */
  prunedTo: number;
  /** Whether that is so only for the events of one order. */
  isOfOrder: boolean;
}

/** Encodes a position as the opaque cursor that clients send back. */
export function encodeEventCursor({ sequence, prunedTo, isOfOrder }: LogPosition): string {
  const known = prunedTo > sequence ? `${isOfOrder ? '~' : '-'}${prunedTo}` : '';
  return Buffer.from(`events.${sequence}${known}`).toString('base64url');
}

/**
 * Decodes the cursor of an event log.
 *
 * @throws DomainError `invalid_cursor` for anything that `encodeEventCursor` did not return.
 */
export function decodeEventCursor(cursor: string): LogPosition {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const [, digits, mark, known = 0] = /^events\.(\d{1,16})(?:([-~])(\d{1,16}))?$/.exec(text) ?? [];
  const position = { sequence: Number(digits), prunedTo: Number(known), isOfOrder: mark === '~' };
  const isSafe = [position.sequence, position.prunedTo].every(Number.isSafeInteger);
  if (!isSafe || encodeEventCursor(position) !== cursor) {
    throw new DomainError(
      'invalid_cursor',
      'This cursor is not valid for this list. Send nextCursor of the previous page unchanged as after, or use since to start over.',
    );
  }
  return position;
}

/**
 * Rejects a position after which events were removed that the client has not read.
 *
 * @param isOfOrder Whether the client reads the events of one order.
 * @throws DomainError `cursor_expired`
 */
export function requireUnpruned(position: LogPosition, prunedTo: number, isOfOrder: boolean): void {
  const known = position.isOfOrder && !isOfOrder ? 0 : position.prunedTo;
  if (prunedTo <= Math.max(position.sequence, known)) return;
  throw new DomainError(
    'cursor_expired',
    'Events after this cursor are no longer stored, so some would be missing. Start again: with after=now for events from now on, with since, or without both for all that are stored. GET /v1/orders has the current state.',
  );
}

/** How many requests of one account may wait at once. Further requests get their response without a wait. */
const maxWaitsPerAccount = 100;

/** The requests that wait for events of their accounts. */
export class LongPollRegistry {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<() => void>>();
  #released = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Waits until the account is notified, the time is over, `done` aborts or all long polls are released.
   *
   * @returns Whether the caller may wait again. False if there was no wait or this was the last one.
   */
  wait(accountId: string, milliseconds: number, done: AbortSignal): Promise<boolean> {
    const others = this.#waiting.get(accountId) ?? new Set();
    if (this.#released || done.aborted || others.size >= maxWaitsPerAccount) {
      return Promise.resolve(false);
    }
    this.#waiting.set(accountId, others);
    return new Promise((resolve) => {
      const end = () => {
        others.delete(end);
        if (others.size === 0) this.#waiting.delete(accountId);
        cancelTimeout();
        done.removeEventListener('abort', end);
        resolve(!(this.#released || done.aborted));
      };
      const cancelTimeout = this.#clock.schedule(milliseconds, end);
      done.addEventListener('abort', end);
      others.add(end);
    });
  }

  /** Ends the waits of these accounts. */
  notify(accountIds: Iterable<string>): void {
    for (const accountId of accountIds) {
      for (const end of this.#waiting.get(accountId) ?? []) end();
    }
  }

  /** Ends all waits and rejects new ones. */
  release(): void {
    this.#released = true;
    this.notify([...this.#waiting.keys()]);
  }
}

/** Notifies listeners of commits in this process. Other processes have to poll. */
export class Announcements {
  readonly #queueListeners: (() => void)[] = [];
  readonly #eventListeners: ((accountIds: string[]) => void)[] = [];

  /** Runs `listener` after each commit that made deliveries due. */
  onDeliveriesQueued(listener: () => void): void {
    this.#queueListeners.push(listener);
  }

  /** Runs `listener` after each commit that wrote events. */
  onEvents(listener: (accountIds: string[]) => void): void {
    this.#eventListeners.push(listener);
  }

  /** Notifies that deliveries are due. */
  notifyDeliveriesQueued(): void {
    for (const listener of this.#queueListeners) listener();
  }

  /**
   * Notifies of new events.
   *
   * @param queued How many deliveries were queued.
   */
  notifyEvents(events: DomainEvent[], queued: number): void {
    if (queued > 0) this.notifyDeliveriesQueued();
    if (events.length === 0) return;
    const accountIds = [...new Set(events.flatMap(({ recipients }) => recipients))];
    for (const listener of this.#eventListeners) listener(accountIds);
  }
}
