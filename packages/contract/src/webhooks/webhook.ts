import type { EventType } from '../events/event';
import type { DeliveryStats, WebhookExpansion } from './webhook-stats';

/** Every webhook status. A `paused` webhook keeps its registration and receives no deliveries: its account paused it, or the service did (`disabledAt`). */
export const webhookStatuses = ['active', 'paused'] as const;

/** One webhook status. */
export type WebhookStatus = (typeof webhookStatuses)[number];

/** How many webhooks one account may have. */
export const maxWebhooksPerAccount = 20;

/** What an account may set of a webhook beyond the API specification; for its headers, see `customHeaderLimits`. */
export const webhookLimits = {
  /** Characters of a description. */
  description: { min: 1, max: 200 },
  /** The limit of attempts per minute. */
  attemptsPerMinute: { min: 1, max: 60_000 },
} as const;

/** A registered endpoint that receives signed deliveries of the events it subscribes to. */
export interface Webhook {
  /** `whk_<id>`. IDs sort by creation time. */
  id: string;
  /** The HTTPS endpoint that receives deliveries. */
  url: string;
  /** The event types it subscribes to, each once. */
  events: EventType[];
  /** Whether deliveries are sent (`active`) or paused. */
  status: WebhookStatus;
  /** What it is for. Null without a description. */
  description: string | null;
  /** The names of the headers of its own that each delivery has. No response shows their values. */
  headerNames: string[];
  /** How many attempts it gets per minute at most. Null without a limit. */
  attemptsPerMinute: number | null;
  /** When it was registered: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** When it last changed: ISO 8601, UTC, with milliseconds. */
  updatedAt: string;
}

/** A webhook in the response to its registration: the only response that contains the secret. */
export interface CreatedWebhook extends Webhook {
  /** The signing secret, the key of `Service-Signature`: `whsec_` and the base64 of 32 random bytes. */
  secret: string;
}

/** Body of `POST /v1/webhooks`. */
export interface CreateWebhook {
  /** An absolute `https://` URL without credentials or fragment, at most 2,048 characters. */
  url: string;
  /** The event types to subscribe to: at least one, each once. */
  events: EventType[];
  /** Extension: what it is for, in 1 to 200 characters on one line. Null for no description. @default null */
  description?: string | null;
  /**
   * Extension: headers that each delivery has too, such as a key of a gateway: 10 at most. No response shows the values. Names of
   * headers that the service sets, and those about the connection, are rejected. @default {}
   */
  headers?: Record<string, string>;
  /** Extension: how many attempts it gets per minute at most, 1 to 60,000. Null for no limit. @default null */
  attemptsPerMinute?: number | null;
}

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
   * Why the last attempt got no complete response: a name of `attemptErrors`, such as `timeout`. Null
   * when it got one, or before the first attempt.
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
  /** The statistics of the last 24 hours. Only in a list with `expand=stats`. */
  stats?: DeliveryStats;
}

/** Query of `GET /v1/webhooks`. */
export interface ListWebhooks {
  /** What to return with each webhook. */
  expand?: WebhookExpansion[];
  /** Maximum number of webhooks per page: 1 to 100. @default 50 */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
}

/** Body of `PATCH /v1/webhooks/:id`: at least one field. Fields that are left out do not change. */
export interface UpdateWebhook {
  /** An absolute `https://` URL without credentials or fragment, at most 2,048 characters. */
  url?: string;
  /** The event types to subscribe to, replacing the current ones: at least one, each once. */
  events?: EventType[];
  /** `paused` stops deliveries, `active` resumes them. */
  status?: WebhookStatus;
  /** What it is for, in 1 to 200 characters on one line. Null removes it. */
  description?: string | null;
  /** The headers that each delivery has too, replacing the current ones. An empty object removes them. */
  headers?: Record<string, string>;
  /** How many attempts it gets per minute at most, 1 to 60,000. Null removes the limit. */
  attemptsPerMinute?: number | null;
}

/** A new signing secret that will replace the current one. Only this response contains it. */
export interface StagedSecret {
  /** The webhook, `whk_<id>`. */
  webhookId: string;
  /** The new secret: `whsec_` and the base64 of 32 random bytes. */
  secret: string;
  /** When it was staged: ISO 8601, UTC, with milliseconds. */
  stagedAt: string;
}

/** Body of `POST /v1/webhooks/:id/test`. */
export interface SendTestEvent {
  /** The type of the test event. The webhook does not need to subscribe to it. */
  event: EventType;
}
