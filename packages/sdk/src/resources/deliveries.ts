import {
  type DeliveryAttempt,
  type DeliveryState,
  type EventType,
  endpoints,
  type StatusClass,
} from '@tradepost/contract/wire';
import type { ApiPromise } from '../http/api-promise';
import { readItem } from '../http/envelope';
import type { PagePromise } from '../http/pagination';
import type { Transport } from '../http/transport';
import type { RequestOptions } from '../options';
import type { Other } from '../unrecognized';

/** The delivery of one event to one webhook, over all its attempts. */
export interface Delivery {
  /** `dlv_<id>`. IDs sort by creation time. */
  id: string;
  /** The webhook, `whk_<id>`. */
  webhookId: string;
  /** The event, `evt_<id>`: the same as the header `webhook-id`. */
  eventId: string;
  /** The event type. The service may add types. */
  event: EventType | Other;
  /** The order that the event is about, or that caused it, `ord_<id>`. Null for a test event. */
  orderId: string | null;
  /**
   * `pending` until a receiver responds with a 2xx (`delivered`) or the deadline passes (`failed`). The
   * service may add states.
   */
  state: DeliveryState | Other;
  /** Whether it carries a test event. A test event is attempted once. */
  test: boolean;
  /** Number of attempts so far. */
  attemptCount: number;
  /** HTTP status of the response to the last attempt. Null when there was no response. */
  lastStatus: number | null;
  /**
   * Why the last attempt got no complete response, such as `timeout`. Null when it got one, or before the
   * first attempt.
   */
  lastError: string | null;
  /**
   * When the next attempt is due: ISO 8601, UTC, with milliseconds. Null when the state is final, while an
   * attempt is in flight, and while the webhook is paused.
   */
  nextAttemptAt: string | null;
  /** When the service stops retrying: 24 hours after the event or the replay. ISO 8601, UTC, with milliseconds. */
  deadlineAt: string;
  /** When it was queued: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** When it was delivered or failed: ISO 8601, UTC, with milliseconds. Null while it is pending. */
  finishedAt: string | null;
}

/** A delivery with its body and its attempts. */
export interface DeliveryDetails extends Delivery {
  /** The body of every attempt, byte for byte in UTF-8. */
  body: string;
  /** The attempts, oldest first; the newest 100 at most. */
  attempts: DeliveryAttempt[];
}

/** Filters and paging of `deliveries.list`. */
export interface DeliveryListParams {
  /** Only deliveries to this webhook, `whk_<id>`. */
  webhookId?: string | undefined;
  /** Only deliveries of this event, `evt_<id>`. */
  eventId?: string | undefined;
  /** Only deliveries of events about this order, `ord_<id>`. */
  orderId?: string | undefined;
  /** Only deliveries of events of this type. */
  event?: EventType | undefined;
  /** Only deliveries in this state. */
  state?: DeliveryState | undefined;
  /**
   * Only deliveries queued at or after this time: a date, or ISO 8601 with seconds and an offset, such as
   * `2026-11-21T09:30:00Z`.
   */
  since?: string | Date | undefined;
  /** Only deliveries queued before this time, written like `since`. */
  until?: string | Date | undefined;
  /** Only deliveries whose last response has this status class; `none` for those without a response. */
  statusClass?: StatusClass | undefined;
  /** Maximum number of deliveries per page: 1 to 100. @default 50 */
  limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
}

/**
 * The deliveries to the account's webhooks. An extension: another implementation of the service may not
 * have it, and the error says so.
 */
export class Deliveries {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the deliveries to the account's webhooks, newest first. */
  list(params: DeliveryListParams = {}, options?: RequestOptions): PagePromise<Delivery> {
    return this.#transport.list(
      {
        operation: 'deliveries.list',
        endpoint: endpoints.deliveries.list,
        extension: true,
        options,
      },
      params,
    );
  }

  /** Gets one delivery with its exact body and its attempts. */
  get(id: string, options?: RequestOptions): ApiPromise<DeliveryDetails> {
    return this.#transport.request({
      operation: 'deliveries.get',
      endpoint: endpoints.deliveries.get,
      extension: true,
      id,
      options,
      read: readItem<DeliveryDetails>,
    });
  }

  /**
   * Sends a delivery again immediately, with the same bytes and the same `webhook-id`.
   *
   * @throws {ConflictError} `delivery_in_progress` while an attempt is in flight.
   * @throws {NotFoundError} when it does not exist, or was pruned.
   */
  replay(id: string, options?: RequestOptions): ApiPromise<Delivery> {
    return this.#transport.request({
      operation: 'deliveries.replay',
      endpoint: endpoints.deliveries.replay,
      extension: true,
      id,
      options,
      read: readItem<Delivery>,
    });
  }
}
