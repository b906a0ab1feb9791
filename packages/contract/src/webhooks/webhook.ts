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
