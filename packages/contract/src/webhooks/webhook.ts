import type { EventKind } from '../events/webhook-event';

/** Whether deliveries are made: a `paused` webhook keeps its registration and receives nothing. */
export const webhookStatuses = ['active', 'paused'] as const;

/** One state of a webhook. */
export type WebhookStatus = (typeof webhookStatuses)[number];

/** How many webhooks one account may have. */
export const webhooksPerAccount = 20;

/** A registered endpoint that receives signed deliveries of the events it subscribes to. */
export interface Webhook {
  /** `whk_<id>`. Ids sort by creation. */
  id: string;
  /** The HTTPS endpoint that deliveries are posted to. */
  url: string;
  /** The event kinds it subscribes to, each once. */
  events: EventKind[];
  /** Whether deliveries are made. */
  status: WebhookStatus;
  /** When it was registered: ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  /** When it last changed: ISO 8601, UTC, with milliseconds. */
  updatedAt: string;
}

/** A webhook as the answer to its registration shows it: the only time that the secret is told. */
export interface CreatedWebhook extends Webhook {
  /** The endpoint secret that keys `Service-Signature`: `whsec_` and the base64 of 32 random bytes. */
  secret: string;
}

/** Body of `POST /v1/webhooks`. */
export interface CreateWebhook {
  /** An absolute `https://` URL without credentials or fragment, 2,048 characters at most. */
  url: string;
  /** The event kinds to subscribe to: at least one, each once. */
  events: EventKind[];
}

/** A webhook as the account finds it again: without its secret, with how its deliveries fare. */
export interface WebhookDetails extends Webhook {
  /** When a new secret was staged: ISO 8601, UTC, with milliseconds; null when none is. */
  stagedSecretAt: string | null;
  /** How many deliveries wait to be sent or sent again. */
  pendingDeliveries: number;
  /** Failed attempts since the last success; those that were under way together count as one. */
  consecutiveFailures: number;
  /** An endpoint that keeps failing, or asks for time, gets no attempt before this moment, ISO 8601; null when nothing holds it. */
  heldUntil: string | null;
}

/** Query of `GET /v1/webhooks`. */
export interface ListWebhooks {
  /** How many webhooks a page holds at most: 1 to 100, 50 unless told. */
  limit?: number;
  /** `nextCursor` of the page before. */
  cursor?: string;
}

/** Body of `PATCH /v1/webhooks/:id`: at least one of these. What is left out stays as it is. */
export interface UpdateWebhook {
  /** An absolute `https://` URL without credentials or fragment, 2,048 characters at most. */
  url?: string;
  /** The event kinds to subscribe to, instead of those it has: at least one, each once. */
  events?: EventKind[];
  /** Whether deliveries are made. */
  status?: WebhookStatus;
}

/** A new endpoint secret that is to follow the current one. This answer alone tells it. */
export interface StagedSecret {
  /** The webhook that it belongs to, `whk_<id>`. */
  webhookId: string;
  /** The new secret: `whsec_` and the base64 of 32 random bytes. */
  secret: string;
  /** When it was staged: ISO 8601, UTC, with milliseconds. */
  stagedAt: string;
}

/** Body of `POST /v1/webhooks/:id/test`. */
export interface TestWebhook {
  /** The kind of event to send a sample of; the webhook need not subscribe to it. */
  event: EventKind;
}
