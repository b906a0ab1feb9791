import { randomBytes } from 'node:crypto';
import {
  type CreatedWebhook,
  type CreateWebhook,
  type EventKind,
  eventKinds,
  type UpdateWebhook,
  type Webhook as WebhookAnswer,
  type WebhookStatus,
  webhooksPerAccount,
} from '@tradepost/contract/wire';
import type { Caller } from '../accounts/account';
import { timestamp } from '../clock';
import { DomainError } from '../domain-error';
import type { Moment } from '../moment';
import { checkWebhookUrl, type WebhookPolicy } from './webhook-policy';

/** A registered endpoint as the domain keeps it. */
export interface Webhook {
  /** `whk_<id>`. */
  id: string;
  accountId: string;
  url: string;
  /** The event kinds it subscribes to, each once. */
  events: EventKind[];
  status: WebhookStatus;
  /** The endpoint secret: `whsec_` and the base64 of 32 random bytes. */
  secret: string;
  /** The secret that is to follow it; null when none is staged. */
  stagedSecret: string | null;
  /** When that was staged, in milliseconds since 1970; null when none is. */
  stagedAt: number | null;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Milliseconds since 1970. */
  updatedAt: number;
}

/** A new endpoint secret. The whole text keys `Service-Signature`. */
export function newEndpointSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/**
 * Refuses one webhook too many: each event of an account is sent to all of them.
 *
 * @param registered How many the account has.
 * @throws DomainError `webhook_limit_reached`.
 */
export function requireRoom(registered: number): void {
  if (registered >= webhooksPerAccount) {
    throw new DomainError(
      'webhook_limit_reached',
      `This account has ${registered} webhooks, and may have ${webhooksPerAccount}. Let one endpoint take more kinds of event.`,
    );
  }
}

/** Event kinds in the contract's order, whatever order they were asked for in. */
function inOrder(events: EventKind[]): EventKind[] {
  return eventKinds.filter((kind) => events.includes(kind));
}

/**
 * Registers an endpoint.
 *
 * @throws DomainError `validation_failed` when the policy does not allow the URL.
 */
export function registerWebhook(
  caller: Caller,
  request: CreateWebhook,
  policy: WebhookPolicy,
  secret: string,
  moment: Moment,
): Webhook {
  return {
    id: moment.newId('whk'),
    accountId: caller.accountId,
    url: checkWebhookUrl(request.url, policy),
    events: inOrder(request.events),
    status: 'active',
    secret,
    stagedSecret: null,
    stagedAt: null,
    createdAt: moment.now,
    updatedAt: moment.now,
  };
}

/** The problem of asking for a webhook that is not there, or that is another account's. */
export function webhookNotFound(id: string): DomainError {
  return new DomainError(
    'webhook_not_found',
    `No webhook ${JSON.stringify(id)} belongs to this account. Check the id, which reads whk_<id>, and whose key this is.`,
  );
}

/** When a change is made to a webhook: now, but never before its last one, as a clock may be set back. */
function changedAt(webhook: Webhook, now: number): number {
  return Math.max(now, webhook.updatedAt);
}

/**
 * Changes where a webhook is sent, what it subscribes to, whether it is paused. What it is already is no
 * change: the request may be repeated.
 *
 * @throws DomainError `validation_failed` when the policy does not allow the URL.
 */
export function updateWebhook(
  webhook: Webhook,
  changes: UpdateWebhook,
  policy: WebhookPolicy,
  now: number,
): Webhook {
  const url = changes.url === undefined ? webhook.url : checkWebhookUrl(changes.url, policy);
  const events = inOrder(changes.events ?? webhook.events);
  const status = changes.status ?? webhook.status;
  const isSame =
    url === webhook.url && status === webhook.status && events.join() === webhook.events.join();
  return isSame ? webhook : { ...webhook, url, events, status, updatedAt: changedAt(webhook, now) };
}

/** Stages a secret that is to follow the current one; it replaces one that was staged before. */
export function stageSecret(webhook: Webhook, secret: string, now: number): Webhook {
  const updatedAt = changedAt(webhook, now);
  return { ...webhook, stagedSecret: secret, stagedAt: updatedAt, updatedAt };
}

/**
 * Makes the staged secret the current one.
 *
 * @throws DomainError `no_staged_secret`.
 */
export function promoteSecret(webhook: Webhook, now: number): Webhook {
  if (webhook.stagedSecret === null) {
    throw new DomainError(
      'no_staged_secret',
      `Webhook ${webhook.id} has no staged secret. Stage one with POST /v1/webhooks/${webhook.id}/secret, let the receiver accept it, then promote it.`,
    );
  }
  return {
    ...webhook,
    secret: webhook.stagedSecret,
    stagedSecret: null,
    stagedAt: null,
    updatedAt: changedAt(webhook, now),
  };
}

/** Whether a change gives an endpoint that was held another chance: it has a new address, or was resumed. */
export function isMended(before: Webhook, after: Webhook): boolean {
  return before.url !== after.url || (before.status === 'paused' && after.status === 'active');
}

/** A webhook as the interface shows it. */
export function presentWebhook(webhook: Webhook): WebhookAnswer {
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    status: webhook.status,
    createdAt: timestamp(webhook.createdAt),
    updatedAt: timestamp(webhook.updatedAt),
  };
}

/** A webhook as the answer to its registration shows it, its secret included. */
export function presentCreatedWebhook(webhook: Webhook): CreatedWebhook {
  return { ...presentWebhook(webhook), secret: webhook.secret };
}
