import {
  type DeliveryState,
  type DeliveryStats,
  type EventType,
  endpoints,
  type ReplayedDeliveries,
  type StagedSecret,
  type StatsWindow,
  type StatusClass,
  type WebhookExpansion,
  type WebhookStats,
  type WebhookStatus,
} from '@tradepost/contract/wire';
import type { ApiPromise } from '../http/api-promise';
import { readItem, readNothing } from '../http/envelope';
import type { PagePromise } from '../http/pagination';
import type { createReplaySteps } from '../http/replay-portions';
import type { Transport } from '../http/transport';
import type { RequestOptions } from '../options';
import type { Other } from '../unrecognized';
import type { Delivery } from './deliveries';

/** A registered endpoint that receives signed deliveries of the events it subscribes to. */
export interface Webhook {
  /** `whk_<id>`. IDs sort by creation time. */
  id: string;
  /** The HTTPS endpoint that receives deliveries. */
  url: string;
  /** The event types it subscribes to, each once. The service may add types. */
  events: (EventType | Other)[];
  /** Whether deliveries are sent (`active`) or paused. The service may add statuses. */
  status: WebhookStatus | Other;
  /** What it is for. Null without a description. An extension. */
  description: string | null;
  /** The names of the headers of its own that each delivery has. No response shows their values. An extension. */
  headerNames: string[];
  /** How many attempts it gets per minute at most. Null without a limit. An extension. */
  attemptsPerMinute: number | null;
  /** When it was registered: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** When it last changed: ISO 8601, UTC, with milliseconds. */
  updatedAt: string;
}

/** A webhook in the response to its registration: the only response that contains the secret. */
export interface RegisteredWebhook extends Webhook {
  /** The signing secret, the key of `Service-Signature`: `whsec_` and the base64 of 32 random bytes. */
  secret: string;
}

/**
 * A webhook after its registration. The API specification does not say what a service sends, or how it issues
 * the secret: only what was registered is certain, and the other fields may be undefined. The reference
 * server sends the whole webhook with its secret.
 */
export type CreatedWebhook = Pick<RegisteredWebhook, 'url' | 'events'> & Partial<RegisteredWebhook>;

/** A webhook with the state of its deliveries, without its secret. */
export interface WebhookDetails extends Webhook {
  /** When a new secret was staged: ISO 8601, UTC, with milliseconds. Null when there is no staged secret. */
  stagedSecretAt: string | null;
  /** Number of deliveries that wait for their first or next attempt. */
  pendingDeliveries: number;
  /** Failed attempts since the last success. Attempts that were in flight together count as one. */
  consecutiveFailures: number;
  /**
   * No attempt is made before this time, because the endpoint keeps failing or sent `Retry-After`:
   * ISO 8601, UTC, with milliseconds. Null when there is no backoff.
   */
  backoffUntil: string | null;
  /** HTTP status of the response to the last attempt. Null when there was no response. */
  lastStatus: number | null;
  /**
   * Why the last attempt got no complete response, such as `timeout`. Null when it got one, or before the
   * first attempt.
   */
  lastError: string | null;
  /**
   * When the first attempt failed since the last success, or since it was resumed or got a new URL: ISO 8601, UTC, with milliseconds.
   * Null when none did.
   */
  failingSince: string | null;
  /**
   * Extension: when the service paused it, because its endpoint kept failing: ISO 8601, UTC, with milliseconds. Null when it did not.
   * Resuming clears it.
   */
  disabledAt: string | null;
}

/** What `expand` adds to a webhook. */
export interface WebhookExpansions {
  /** Its statistics of the last 24 hours. */
  stats: DeliveryStats;
}

/** A webhook with what `expand` requests: `ExpandedWebhook<'stats'>`. */
export type ExpandedWebhook<Expand extends WebhookExpansion = WebhookExpansion> = WebhookDetails &
  Pick<WebhookExpansions, Expand>;

/** The webhook to register. */
export interface WebhookCreateParams {
  /** An absolute `https://` URL without credentials or fragment, at most 2,048 characters. */
  url: string;
  /** The event types to subscribe to: at least one, each once. */
  events: readonly EventType[];
  /** What it is for, in 1 to 200 characters on one line. An extension. @default null */
  description?: string | null | undefined;
  /**
   * Headers that each delivery has too, such as a key of a gateway: 10 at most, with values of up to 1,000 printable ASCII
   * characters. No response shows the values. Headers that the service sets, and those about the connection, are
   * rejected. They are not signed. An extension.
   *
   * @default {}
   */
  headers?: Record<string, string> | undefined;
  /** How many attempts it gets per minute at most, 1 to 60,000: what is above waits. An extension. @default null */
  attemptsPerMinute?: number | null | undefined;
}

/** The changes of a webhook: at least one field. Fields that are left out do not change. */
export interface WebhookUpdateParams {
  /** An absolute `https://` URL without credentials or fragment, at most 2,048 characters. */
  url?: string | undefined;
  /** The event types to subscribe to, replacing the current ones: at least one, each once. */
  events?: readonly EventType[] | undefined;
  /** `paused` stops deliveries, `active` resumes them. */
  status?: WebhookStatus | undefined;
  /** What it is for, in 1 to 200 characters on one line. Null removes it. */
  description?: string | null | undefined;
  /** The headers that each delivery has too, replacing the current ones. An empty object removes them. */
  headers?: Record<string, string> | undefined;
  /** How many attempts it gets per minute at most, 1 to 60,000. Null removes the limit. */
  attemptsPerMinute?: number | null | undefined;
}

/** Paging of `webhooks.list`. */
export interface WebhookListParams {
  /** What to return with each webhook: `stats`, its statistics of the last 24 hours. */
  expand?: WebhookExpansion | readonly WebhookExpansion[] | undefined;
  /** Maximum number of webhooks per page: 1 to 100. @default 50 */
  limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
}

/** Which statistics `webhooks.stats` gets. */
export interface WebhookStatsParams {
  /** How far back: the last hour, 24 hours or 7 days. @default '24h' */
  window?: StatsWindow | undefined;
}

/** The test event to send. */
export interface SendTestEventParams {
  /** The type of the test event. The webhook does not need to subscribe to it. */
  event: EventType;
}

/** Which deliveries `webhooks.replayDeliveries` replays. Without a filter, all that failed. */
export interface ReplayDeliveriesParams {
  /** Only deliveries in this state: say so to send delivered or pending ones again. @default 'failed' */
  state?: DeliveryState | undefined;
  /**
   * Only deliveries queued at or after this time: a date, or ISO 8601 with seconds and an offset, such as
   * `2026-11-21T09:30:00Z`.
   */
  since?: string | Date | undefined;
  /** Only deliveries queued before this time, written like `since`. */
  until?: string | Date | undefined;
  /** Only deliveries of events of this type. */
  event?: EventType | undefined;
  /** Only deliveries whose last response has this status class; `none` for those without a response. */
  statusClass?: StatusClass | undefined;
  /** Maximum number of deliveries: 1 to 500. @default 100 */
  limit?: number | undefined;
  /** `nextCursor` of the previous call. */
  cursor?: string | undefined;
}

/** Which deliveries `webhooks.replayAll` replays. Without a filter, all that failed. */
export interface ReplayAllParams extends ReplayDeliveriesParams {
  /** Maximum number of deliveries of all requests; `limit` is that of one request. @default Infinity */
  max?: number | undefined;
}

const replays = {
  operation: 'webhooks.replayDeliveries',
  endpoint: endpoints.webhooks.replayDeliveries,
};

/**
 * The webhooks of the account that the API key belongs to. All methods but `create` are extensions: another
 * implementation of the service may not have them, and the error says so.
 */
export class Webhooks {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Registers an HTTPS endpoint for signed deliveries. Only this response contains the signing secret: store
   * it for `verifyWebhook`. A service may send no secret, or no webhook at all: see `CreatedWebhook`.
   *
   * @throws {ConflictError} `webhook_limit_reached`: the account has 20 webhooks.
   * @throws {ValidationError} for a URL or an event type that the service does not accept.
   */
  create(params: WebhookCreateParams, options?: RequestOptions): ApiPromise<CreatedWebhook> {
    return this.#transport.request({
      operation: 'webhooks.create',
      endpoint: endpoints.webhooks.create,
      body: params,
      options,
      known: { url: params?.url, events: params?.events as EventType[] },
      read: readItem<CreatedWebhook>,
    });
  }

  /**
   * Lists the account's webhooks, newest first. With `expand: 'stats'`, each has its statistics of the last 24 hours, if the
   * service has this extension.
   */
  list<const Expand extends WebhookExpansion>(
    params: WebhookListParams & { expand: Expand | readonly Expand[] },
    options?: RequestOptions,
  ): PagePromise<ExpandedWebhook<Expand>>;
  list(params?: WebhookListParams, options?: RequestOptions): PagePromise<WebhookDetails>;
  list(params: WebhookListParams = {}, options?: RequestOptions): PagePromise<WebhookDetails> {
    return this.#transport.list(
      { operation: 'webhooks.list', endpoint: endpoints.webhooks.list, extension: true, options },
      params,
    );
  }

  /** Gets one webhook. */
  get(id: string, options?: RequestOptions): ApiPromise<WebhookDetails> {
    return this.#transport.request({
      operation: 'webhooks.get',
      endpoint: endpoints.webhooks.get,
      extension: true,
      id,
      options,
      read: readItem<WebhookDetails>,
    });
  }

  /**
   * Gets the statistics of a webhook: its deliveries and attempts over time, and in total. Test events and replays count. The
   * percentiles of the latency are estimates.
   *
   * @example
   * const { totals, points } = await tradepost.webhooks.stats('whk_…', { window: '1h' });
   * console.log(totals.delivered, totals.failed, totals.latencyMs?.p95);
   */
  stats(
    id: string,
    params: WebhookStatsParams = {},
    options?: RequestOptions,
  ): ApiPromise<WebhookStats> {
    return this.#transport.request({
      operation: 'webhooks.stats',
      endpoint: endpoints.webhooks.stats,
      extension: true,
      id,
      query: { window: params.window },
      options,
      read: readItem<WebhookStats>,
    });
  }

  /**
   * Changes the URL or the subscriptions of a webhook, or pauses and resumes it. Fields that are left out do
   * not change. Deliveries to a paused webhook stay pending until their 24-hour deadline.
   *
   * It is retried only if the attempt certainly had no effect: a retry could undo a change that another
   * client made in between.
   */
  update(
    id: string,
    params: WebhookUpdateParams,
    options?: RequestOptions,
  ): ApiPromise<WebhookDetails> {
    return this.#transport.request({
      operation: 'webhooks.update',
      endpoint: endpoints.webhooks.update,
      extension: true,
      unsafeToRepeat: true,
      id,
      body: params,
      options,
      read: readItem<WebhookDetails>,
    });
  }

  /**
   * Deletes a webhook and cancels its pending deliveries. If the response of an attempt was lost and the
   * retry gets a 404, the call succeeds: the webhook is deleted.
   */
  delete(id: string, options?: RequestOptions): ApiPromise<void> {
    return this.#transport.request<void>({
      operation: 'webhooks.delete',
      endpoint: endpoints.webhooks.delete,
      extension: true,
      id,
      options,
      read: readNothing,
    });
  }

  /**
   * Stages a new signing secret that will replace the current one. Only this response contains it. Configure
   * your receivers to accept both, then call `promoteSecret`. Staging again replaces the staged secret.
   */
  stageSecret(id: string, options?: RequestOptions): ApiPromise<StagedSecret> {
    return this.#transport.request({
      operation: 'webhooks.stageSecret',
      endpoint: endpoints.webhooks.stageSecret,
      extension: true,
      id,
      options,
      read: readItem<StagedSecret>,
    });
  }

  /**
   * Makes the staged secret the current one. The previous secret is no longer used.
   *
   * @throws {ConflictError} `no_staged_secret`.
   */
  promoteSecret(id: string, options?: RequestOptions): ApiPromise<WebhookDetails> {
    return this.#transport.request({
      operation: 'webhooks.promoteSecret',
      endpoint: endpoints.webhooks.promoteSecret,
      extension: true,
      id,
      options,
      read: readItem<WebhookDetails>,
    });
  }

  /**
   * Sends a signed test event to a webhook, once, and returns its delivery. Poll `deliveries.get` for the
   * result.
   *
   * @throws {ConflictError} `webhook_paused`.
   */
  test(id: string, params: SendTestEventParams, options?: RequestOptions): ApiPromise<Delivery> {
    return this.#transport.request({
      operation: 'webhooks.test',
      endpoint: endpoints.webhooks.test,
      extension: true,
      id,
      body: params,
      options,
      read: readItem<Delivery>,
    });
  }

  /**
   * Replays the newest deliveries to a webhook that match, as `deliveries.replay` replays one: without a `state`, those that
   * failed. Those with an attempt in flight are left out. To replay all, call it with `cursor` until `nextCursor` is null.
   * With `state: 'pending'`, what waits for its next attempt is due now.
   */
  replayDeliveries(
    id: string,
    params: ReplayDeliveriesParams,
    options?: RequestOptions,
  ): ApiPromise<ReplayedDeliveries> {
    return this.#transport.request({
      ...replays,
      extension: true,
      id,
      body: params,
      options,
      read: readItem<ReplayedDeliveries>,
    });
  }

  /**
   * Replays all deliveries to a webhook that match, as `replayDeliveries` does, newest first: without a `state`, those
   * that failed. Each step of the iteration sends one request, for up to `limit` deliveries, and has its counts: wait between
   * the steps to spare the receiver.
   *
   * After an error, `next()` sends the request again that failed, with its idempotency key: no delivery is replayed
   * twice. `for await` ends with the error.
   *
   * @example
   * let replayed = 0;
   * for await (const portion of tradepost.webhooks.replayAll('whk_…', { state: 'failed' })) {
   *   replayed += portion.replayed;
   * }
   */
  replayAll(
    id: string,
    params: ReplayAllParams = {},
    options?: Omit<RequestOptions, 'idempotencyKey'>,
  ): AsyncIterableIterator<ReplayedDeliveries> {
    const createLoopError = this.#transport.loopErrorFactory(replays);
    let step: ReturnType<typeof createReplaySteps> | undefined;
    const send = (portion: ReplayDeliveriesParams, idempotencyKey: string) =>
      this.replayDeliveries(id, portion, { ...options, idempotencyKey }).withResponse();
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: async () => {
        step ??= await import('../http/retry-loop').then(
          ({ createReplaySteps: create }) => create(send, params, createLoopError),
          // A call needs the same file, and says why it cannot be loaded.
          () => undefined,
        );
        if (step !== undefined) return await step();
        return { done: false, value: await this.replayDeliveries(id, params, options) };
      },
    };
  }
}
