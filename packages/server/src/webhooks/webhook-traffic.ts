import type { WebhookDetails } from '@tradepost/contract';
import { timestamp } from '../clock';
import { presentWebhook, type Webhook } from './webhook';

/** How the deliveries to a webhook fare. */
export interface WebhookTraffic {
  /** Deliveries that wait to be sent or sent again. */
  pending: number;
  /** Failures since the last success; attempts that were under way together count as one. */
  failures: number;
  /** No attempt before this moment, in milliseconds since 1970; a past one holds nothing. */
  heldUntil: number;
}

/** A webhook with how its deliveries fare. */
export interface WatchedWebhook extends Webhook {
  traffic: WebhookTraffic;
}

/** A webhook as its account finds it again: without its secrets. */
export function presentWatchedWebhook(webhook: WatchedWebhook, now: number): WebhookDetails {
  const { traffic } = webhook;
  return {
    ...presentWebhook(webhook),
    stagedSecretAt: webhook.stagedAt === null ? null : timestamp(webhook.stagedAt),
    pendingDeliveries: traffic.pending,
    consecutiveFailures: traffic.failures,
    heldUntil: traffic.heldUntil > now ? timestamp(traffic.heldUntil) : null,
  };
}
