import {
  type AccountKind,
  type EventType,
  endOfLog,
  endpoints,
  pageLimit,
} from '@tradepost/contract/wire';
import type { ApiPromise } from '../http/api-promise';
import { readEndlessPage, readItem } from '../http/envelope';
import type { StreamOutage } from '../http/follow-pages';
import { createPagePromise, type PagePromise } from '../http/pagination';
import type { Call } from '../http/request';
import type { Transport } from '../http/transport';
import type { RequestOptions } from '../options';
import type { Other } from '../unrecognized';
import type {
  ListingAvailabilityLowEvent,
  OrderCreatedEvent,
  OrderStatusChangedEvent,
  TaskApprovalRequestedEvent,
  TaskCompletedEvent,
  UnknownWebhookEvent,
  WebhookDisabledEvent,
} from '../webhooks/event';

/** The account whose request caused an event. */
export interface EventActor {
  /** The account, `usr_<id>`. */
  accountId: string;
  /** What kind of account it is. The service may add kinds. */
  kind: AccountKind | Other;
}

/** `order.created`, with its event ID. */
export interface OrderCreatedAccountEvent extends OrderCreatedEvent {
  /** `evt_<id>`: the same as the header `webhook-id` of its deliveries. */
  id: string;
  /** Extension: the account whose request caused it. Null if that is not known. */
  actor?: EventActor | null;
}

/** `order.status_changed`, with its event ID. */
export interface OrderStatusChangedAccountEvent extends OrderStatusChangedEvent {
  /** `evt_<id>`: the same as the header `webhook-id` of its deliveries. */
  id: string;
  /** Extension: the account whose request caused it. Null if that is not known. */
  actor?: EventActor | null;
}

/** `task.approval_requested`, with its event ID. */
export interface TaskApprovalRequestedAccountEvent extends TaskApprovalRequestedEvent {
  /** `evt_<id>`: the same as the header `webhook-id` of its deliveries. */
  id: string;
  /** Extension: the account whose request caused it. Null if that is not known. */
  actor?: EventActor | null;
}

/** `task.completed`, with its event ID. */
export interface TaskCompletedAccountEvent extends TaskCompletedEvent {
  /** `evt_<id>`: the same as the header `webhook-id` of its deliveries. */
  id: string;
  /** Extension: the account whose request caused it. Null if that is not known. */
  actor?: EventActor | null;
}

/** `listing.availability_low`, with its event ID. */
export interface ListingAvailabilityLowAccountEvent extends ListingAvailabilityLowEvent {
  /** `evt_<id>`: the same as the header `webhook-id` of its deliveries. */
  id: string;
  /** Extension: the account whose request caused it. Null if that is not known. */
  actor?: EventActor | null;
}

/** Extension: `webhook.disabled`, with its event ID. */
export interface WebhookDisabledAccountEvent extends WebhookDisabledEvent {
  /** `evt_<id>`: the same as the header `webhook-id` of its deliveries. */
  id: string;
  /** Extension: the account whose request caused it. Null: the service did. */
  actor?: EventActor | null;
}

/** An event of a type that is newer than this version, with its event ID. */
export interface UnknownAccountEvent extends UnknownWebhookEvent {
  /** `evt_<id>`: the same as the header `webhook-id` of its deliveries. */
  id: string;
  /** Extension: the account whose request caused it. Null if that is not known. */
  actor?: EventActor | null;
}

/**
 * An event that the account may see: the body of its deliveries, its ID, and who caused it. A union discriminated by
 * `event`; its last member stands for types that this version does not know.
 */
export type AccountEvent =
  | OrderCreatedAccountEvent
  | OrderStatusChangedAccountEvent
  | TaskApprovalRequestedAccountEvent
  | TaskCompletedAccountEvent
  | ListingAvailabilityLowAccountEvent
  | WebhookDisabledAccountEvent
  | UnknownAccountEvent;

/** One page of the account's events, oldest first. There is no last page. */
export interface EventPage {
  /** The events of this page. Empty when there are no new events. */
  data: AccountEvent[];
  /** Pass it as `after` to continue from here. Never null. Store it to resume after a restart. */
  nextCursor: string;
  /**
   * Whether more events may follow now. With `type`, `since` or `until`, a page may be empty although they do, because a
   * request reads only a part of a long log. Absent if the service does not say: then more may follow a page with events.
   */
  hasMore?: boolean;
}

/** Start and paging of `events.list`. */
export interface EventListParams {
  /**
   * `nextCursor` of a processed page: only later events. `now`: only events from now on, whatever clocks say; the
   * page is empty. A service without this rejects `now` with `invalid_cursor`. If events after a cursor are no
   * longer stored, the call fails with the code `cursor_expired`.
   */
  after?: string | undefined;
  /**
   * Only events at or after this time: a date, or ISO 8601 with seconds and an offset, such as
   * `2026-11-21T09:30:00Z`. A time in the future counts as now. Excludes `after`: the service rejects both together.
   */
  since?: string | Date | undefined;
  /**
   * Only events before this time, except those that were committed more than a minute after their time. Excludes
   * `waitSeconds`.
   */
  until?: string | Date | undefined;
  /** Only events of this type. */
  type?: EventType | undefined;
  /**
   * Only events of this order, `ord_<id>`, including a `listing.availability_low` that it caused: its history,
   * as far as its events are still stored. An order that the account may not see has none.
   */
  orderId?: string | undefined;
  /** Maximum number of events per page: 1 to 100. @default 50 */
  limit?: number | undefined;
  /** Seconds that a request waits for an event when there is none yet: 0 to 30. @default 0 */
  waitSeconds?: number | undefined;
}

/** Filters and paging of `events.latest`. */
export interface LatestEventsParams {
  /** Only events at or after this time: a date, or ISO 8601 with seconds and an offset. */
  since?: string | Date | undefined;
  /** Only events before this time, except those that were committed more than a minute after their time. */
  until?: string | Date | undefined;
  /** Only events of this type. */
  type?: EventType | undefined;
  /** Only events of this order, `ord_<id>`, including a `listing.availability_low` that it caused. */
  orderId?: string | undefined;
  /** Maximum number of events per page: 1 to 100. @default 50 */
  limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  before?: string | undefined;
}

/** One page of the account's events, newest first. */
export interface LatestEventPage {
  /** The events of this page. A page may be empty although there are earlier events that match. */
  data: AccountEvent[];
  /** Pass it as `before` to get the next page, of earlier events. Null on the last page. */
  nextCursor: string | null;
  /** Pass it as `after` to `events.list` or `events.follow` to continue after the newest event of this page. */
  after: string;
}

/** Start, paging and outages of `events.follow`. */
export interface FollowEventsOptions {
  /** `nextCursor` of a processed page: only later events. */
  after?: string | undefined;
  /**
   * `now`: without `after`, only events from now on, whatever clocks say. Excludes `since`. A service without this rejects
   * it with `invalid_cursor`.
   */
  from?: 'now' | undefined;
  /**
   * Only events at or after this time: a date, or ISO 8601 with seconds and an offset, such as
   * `2026-11-21T09:30:00Z`. A time in the future counts as now. Excludes `after`: the service rejects both together.
   */
  since?: string | Date | undefined;
  /** Only events of this type. Pass it again to continue with `after`. */
  type?: EventType | undefined;
  /** Only events of this order, `ord_<id>`. Pass it again to continue with `after`. */
  orderId?: string | undefined;
  /** Maximum number of events per page: 1 to 100. @default 50 */
  limit?: number | undefined;
  /**
   * Seconds that each request waits for an event when there is none yet: 0 to 30. Added to `timeout` and
   * `deadline`. @default 25
   */
  waitSeconds?: number | undefined;
  /**
   * Milliseconds that an outage may last: once the service has responded, requests are sent again while it is unreachable,
   * down or has too many requests, and the stream continues where it was. Before the first response a failure is that of any
   * other call. 0: the first failure ends the loop. @default 300_000
   */
  reconnectTimeout?: number | undefined;
  /** Called when a request failed and is sent again after a wait, and when the service has responded again. */
  onOutage?: ((outage: StreamOutage) => void) | undefined;
}

/** The events as they happen. Iterate it with `for await`; each loop starts a new iteration. */
export interface EventStream extends AsyncIterable<AccountEvent> {
  /**
   * Iterates page by page. A page may be empty. To resume after a restart, store the `nextCursor` of a page
   * when its events are processed.
   */
  pages(): AsyncIterable<EventPage>;
}

const eventsList = { operation: 'events.list', endpoint: endpoints.events.list };

function readEventPage(body: unknown): EventPage | null {
  const page = readEndlessPage<AccountEvent>(body);
  if (page === null) return null;
  const { hasMore } = body as { hasMore?: unknown };
  return typeof hasMore === 'boolean' ? { ...page, hasMore } : page;
}

function readLatestPage(body: unknown): LatestEventPage | null {
  const page = readEndlessPage<AccountEvent>(body);
  if (page === null) return null;
  const { previousCursor } = body as { previousCursor?: unknown };
  if (previousCursor !== null && typeof previousCursor !== 'string') return null;
  return { data: page.data.toReversed(), nextCursor: previousCursor, after: page.nextCursor };
}

/** The default wait of a request for new events, in seconds. */
const followWait = 25;

/** How long an outage may last by default, in milliseconds. */
const defaultReconnectTimeout = 300_000;

/**
 * The events that the account may see, whether or not a webhook received them. An extension: another
 * implementation of the service may not have it, and the error says so.
 */
export class Events {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists the events so far, oldest first. It starts with the oldest stored event unless `after` or `since`
   * is given. A loop ends at the newest event.
   */
  list(
    params: EventListParams = {},
    options?: RequestOptions,
  ): PagePromise<AccountEvent, EventPage> {
    return createPagePromise(
      params?.after,
      (after) => this.#transport.send(this.#buildCall(params, after, options)),
      this.#transport.loopErrorFactory(eventsList),
      ({ data, hasMore = data.length > 0 }) => !hasMore,
    );
  }

  /** Lists the events from the newest to the oldest. A loop ends at the oldest stored event, or at `since`. */
  latest(
    params: LatestEventsParams = {},
    options?: RequestOptions,
  ): PagePromise<AccountEvent, LatestEventPage> {
    const { limit: tail = pageLimit.default, before: first, ...filters } = params ?? {};
    return createPagePromise(
      first,
      (before) =>
        this.#transport.send({
          ...eventsList,
          extension: true,
          query: { ...filters, tail, before },
          options,
          read: readLatestPage,
        }),
      this.#transport.loopErrorFactory(eventsList),
    );
  }

  /** Gets one event. A test event is in no event log, and is not found. */
  get(id: string, options?: RequestOptions): ApiPromise<AccountEvent> {
    return this.#transport.request({
      operation: 'events.get',
      endpoint: endpoints.events.get,
      extension: true,
      id,
      options,
      read: readItem<AccountEvent>,
    });
  }

  /**
   * Follows the events as they happen, after those so far, through restarts and outages of the service. It sends nothing
   * until it is iterated, and ends when the loop ends. The loop throws an `AbortError` when `signal` aborts, the error of the
   * last request when an outage lasts longer than `reconnectTimeout`, and an error with the code `cursor_expired` if events
   * after the position are no longer stored: then start again, for example with `from: 'now'` and all orders.
   */
  follow(params: FollowEventsOptions = {}, options?: RequestOptions): EventStream {
    const transport = this.#transport;
    const { from, reconnectTimeout, onOutage, waitSeconds, ...others } = params ?? {};
    const firstCursor = others.after ?? from;
    const send = (after: string | undefined, waits: boolean, limits = options) => {
      const page = {
        ...others,
        ...(firstCursor !== undefined && { after: firstCursor }),
        ...(waits && { waitSeconds: waitSeconds ?? followWait }),
      };
      return transport.send(this.#buildCall(page, after, limits));
    };
    async function* pages() {
      const first = await send(firstCursor, false);
      // The file that has sent it.
      const { followPages } = await import('../http/retry-loop');
      yield* followPages({
        firstCursor,
        first,
        // The stream itself sends it again.
        requestPage: (after, waits) => send(after, waits, { ...options, maxRetries: 0 }),
        createLoopError: transport.loopErrorFactory(eventsList),
        reconnectTimeout: reconnectTimeout ?? defaultReconnectTimeout,
        onOutage,
        signal: options?.signal,
        wait: transport.wait,
        runtime: transport.runtime,
      });
    }
    return {
      pages,
      async *[Symbol.asyncIterator]() {
        for await (const page of pages()) yield* page.data;
      },
    };
  }

  #buildCall(
    params: EventListParams,
    after: string | undefined,
    options: RequestOptions | undefined,
  ): Call<EventPage> {
    const { since, ...others } = params ?? {};
    // `since` starts a list and `after` continues it. The service rejects both together, if the caller passed both.
    const from = after === params?.after ? { since, after } : { after };
    // Another attempt of a request that waits would start at a later time.
    const waitSeconds = after === endOfLog ? undefined : others.waitSeconds;
    return {
      ...eventsList,
      extension: true,
      query: { ...others, ...from, waitSeconds },
      waitSeconds: waitSeconds ?? 0,
      options,
      read: readEventPage,
    };
  }
}
