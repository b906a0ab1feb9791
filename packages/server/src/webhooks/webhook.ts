import { randomBytes } from 'node:crypto';
import {
  type CreatedWebhook,
  type CreateWebhook,
  type EventKind,
  type WebhookStatus,
  webhooksPerAccount,
} from '@tradepost/contract';
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
    events: request.events,
    status: 'active',
    secret,
    createdAt: moment.now,
    updatedAt: moment.now,
  };
}

/** A webhook as the answer to its registration shows it, its secret included. */
export function presentCreatedWebhook(webhook: Webhook): CreatedWebhook {
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    status: webhook.status,
    createdAt: timestamp(webhook.createdAt),
    updatedAt: timestamp(webhook.updatedAt),
    secret: webhook.secret,
  };
}
