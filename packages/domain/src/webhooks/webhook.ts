import type { WebhookDetails } from '@tradepost/contract';
import {
  allEventTypes,
  type CreatedWebhook,
  type CreateWebhook,
  type EventType,
  maxWebhooksPerAccount,
  type UpdateWebhook,
  type Webhook as WebhookResponse,
  type WebhookStatus,
} from '@tradepost/contract/wire';
import type { Caller } from '../accounts/account';
import { type EndpointHealth, resumedHealth } from '../deliveries/endpoint-health';
import { type CommandContext, formatTimestamp } from '../kernel/context';
import { DomainError, formatCount } from '../kernel/errors';
import { checkWebhookUrl, type WebhookPolicy } from './webhook-policy';

/** A webhook in the domain. */
export interface Webhook {
  /** `whk_<id>`. */
  id: string;
  accountId: string;
  url: string;
  /** The event types that it subscribes to, without duplicates. */
  events: EventType[];
  status: WebhookStatus;
  /**
   * The endpoint secret: `whsec_` and the base64 of 32 random bytes. Reading it throws a `StoreUnavailableError` if the store
   * cannot decrypt it.
   */
  secret: string;
  /** The secret that will replace it; null if none is staged. */
  stagedSecret: string | null;
  /** What it is for; null without a description. */
  description: string | null;
  /** Headers that each delivery has too, by name. Reading it may throw as reading `secret` does. */
  headers: Readonly<Record<string, string>>;
  /** Their names, which can always be read. */
  headerNames: readonly string[];
  /** How many attempts it gets per minute at most; null without a limit. */
  attemptsPerMinute: number | null;
  /** When the service paused it because its endpoint kept failing, in milliseconds since 1970; null if it did not. */
  disabledAt: number | null;
  /** When the secret was staged, in milliseconds since 1970; null if none is staged. */
  stagedAt: number | null;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Milliseconds since 1970. */
  updatedAt: number;
}

/** Creates an endpoint secret. The whole text is the key of `Service-Signature`. */
export function createEndpointSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
}

/**
 * Rejects a webhook beyond the limit, because each event of an account is sent to all of its webhooks.
 *
 * @param existingCount How many webhooks the account has.
 * @param limit How many it may have; null for the default.
 * @throws DomainError `webhook_limit_reached`.
 */
export function assertWithinLimit(existingCount: number, limit: number | null = null): void {
  const max = limit ?? maxWebhooksPerAccount;
  if (existingCount >= max) {
    throw new DomainError(
      'webhook_limit_reached',
      `This account has ${formatCount(existingCount, 'webhook')}; the limit is ${max}. Subscribe an existing webhook to more event types.`,
    );
  }
}

/** Sorts event types in the contract's order. */
function sortEventTypes(events: EventType[]): EventType[] {
  return allEventTypes.filter((eventType) => events.includes(eventType));
}

function withNames(headers: Webhook['headers']): Pick<Webhook, 'headers' | 'headerNames'> {
  return { headers, headerNames: Object.keys(headers) };
}

/**
 * Creates a webhook.
 *
 * @throws DomainError `validation_failed` if the policy rejects the URL.
 */
export function createWebhook(
  caller: Caller,
  request: CreateWebhook,
  policy: WebhookPolicy,
  secret: string,
  context: CommandContext,
): Webhook {
  return {
    id: context.newId('whk'),
    accountId: caller.accountId,
    url: checkWebhookUrl(request.url, policy),
    events: sortEventTypes(request.events),
    status: 'active',
    secret,
    stagedSecret: null,
    stagedAt: null,
    description: request.description ?? null,
    ...withNames(request.headers ?? {}),
    attemptsPerMinute: request.attemptsPerMinute ?? null,
    disabledAt: null,
    createdAt: context.now,
    updatedAt: context.now,
  };
}

/** Creates the error for a webhook that does not exist or belongs to another account. */
export function webhookNotFound(id: string): DomainError {
  return new DomainError(
    'webhook_not_found',
    `No webhook ${JSON.stringify(id)} belongs to this account. Check the ID (whk_<id>) and the API key.`,
  );
}

/** Returns the time of a change: now, but not before the last change, because the clock may be set back. */
function changedAt(webhook: Webhook, now: number): number {
  return Math.max(now, webhook.updatedAt);
}

/**
 * Changes what an account may set of a webhook. Setting a current value again changes nothing, so the request
 * may be repeated.
 *
 * @throws DomainError `validation_failed` if the policy rejects the URL.
 */
export function updateWebhook(
  webhook: Webhook,
  changes: UpdateWebhook,
  policy: WebhookPolicy,
  now: number,
): Webhook {
  const url = changes.url === undefined ? webhook.url : checkWebhookUrl(changes.url, policy);
  const events = sortEventTypes(changes.events ?? webhook.events);
  const {
    status = webhook.status,
    description = webhook.description,
    headers = webhook.headers,
    attemptsPerMinute = webhook.attemptsPerMinute,
  } = changes;
  const isSame =
    url === webhook.url &&
    events.join() === webhook.events.join() &&
    status === webhook.status &&
    description === webhook.description &&
    JSON.stringify(headers) === JSON.stringify(webhook.headers) &&
    attemptsPerMinute === webhook.attemptsPerMinute;
  if (isSame) return webhook;
  const settings = { url, events, status, description, ...withNames(headers), attemptsPerMinute };
  const disabledAt = status === 'active' ? null : webhook.disabledAt;
  return { ...webhook, ...settings, disabledAt, updatedAt: changedAt(webhook, now) };
}

/** Stages a secret that will replace the current one. Replaces a staged one. */
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

/** Returns whether a change gives an endpoint in backoff another chance: it has a new URL or was resumed. */
export function shouldResetBackoff(before: Webhook, after: Webhook): boolean {
  return before.url !== after.url || (before.status === 'paused' && after.status === 'active');
}

/**
 * Returns what a change by its account resets of an endpoint's health. The failures still count until an attempt succeeds. For how
 * long it has been failing starts again when attempts do: a paused endpoint shows it until it is resumed.
 */
export function resetHealth(
  before: Webhook,
  after: Webhook,
): Partial<Pick<EndpointHealth, 'backoffUntil' | 'failingSince'>> {
  if (!shouldResetBackoff(before, after)) return {};
  return after.status === 'active' ? resumedHealth : { backoffUntil: 0 };
}

/** Converts a webhook to the contract's webhook. */
export function toWebhookResponse(webhook: Webhook): WebhookResponse {
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    status: webhook.status,
    description: webhook.description,
    headerNames: [...webhook.headerNames],
    attemptsPerMinute: webhook.attemptsPerMinute,
    createdAt: formatTimestamp(webhook.createdAt),
    updatedAt: formatTimestamp(webhook.updatedAt),
  };
}

/** Converts a new webhook to the response to its creation, including its secret. */
export function toCreatedWebhookResponse(webhook: Webhook): CreatedWebhook {
  return { ...toWebhookResponse(webhook), secret: webhook.secret };
}

/** How a webhook fares: the health of its endpoint, and how many deliveries wait for it. */
export interface WebhookHealth extends Omit<EndpointHealth, 'concurrencyLimit'> {
  /** Deliveries that wait for an attempt. */
  pending: number;
}

/** A webhook and how it fares. */
export interface WebhookWithHealth extends Webhook {
  health: WebhookHealth;
}

/** Converts a webhook to the contract's details, without its secrets. */
export function toWebhookDetailsResponse(webhook: WebhookWithHealth, now: number): WebhookDetails {
  const { health } = webhook;
  return {
    ...toWebhookResponse(webhook),
    stagedSecretAt: webhook.stagedAt === null ? null : formatTimestamp(webhook.stagedAt),
    pendingDeliveries: health.pending,
    consecutiveFailures: health.failures,
    backoffUntil: health.backoffUntil > now ? formatTimestamp(health.backoffUntil) : null,
    lastStatus: health.lastStatus,
    lastError: health.lastError,
    failingSince: health.failingSince === 0 ? null : formatTimestamp(health.failingSince),
    disabledAt: webhook.disabledAt === null ? null : formatTimestamp(webhook.disabledAt),
  };
}
