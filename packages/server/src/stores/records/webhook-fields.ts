import { allEventTypes } from '@tradepost/contract/wire';
import type { Webhook, WebhookHealth, WebhookWithHealth } from '@tradepost/domain/webhooks/webhook';
import type { DisabledWebhook } from '@tradepost/domain/webhooks/webhook-store';
import { type SecretCipher, secretPlaces } from '../encryption';
import type { Fields } from './fields';
import { readHeaders } from './leased-delivery';
import { type WebhookRecord, webhooks } from './tables';

/** What is read of a webhook, joined with its queue. */
export interface WebhookRow extends WebhookRecord, WebhookHealth {
  /** Event types, separated by commas. */
  eventTypes: string;
}

/**
 * Returns what is read of webhooks.
 *
 * @param expressions How the database counts pending deliveries, and joins the texts of a group with commas.
 */
export function createWebhookFields({
  pending,
  joinTypes,
}: Record<'pending' | 'joinTypes', string>): Fields<WebhookRow> {
  return webhooks
    .with<Omit<WebhookRow, keyof WebhookRecord>>({
      eventTypes: [
        `(SELECT ${joinTypes} FROM webhook_events AS e
          WHERE e.webhook_id = webhooks.id AND e.account_id = webhooks.account_id)`,
        'text',
      ],
      pending: [pending, 'integer'],
      failures: ['queues.failures', 'integer'],
      backoffUntil: ['queues.backoff_until', 'integer'],
      lastStatus: ['queues.last_status', 'integer'],
      lastError: ['queues.last_error', 'text'],
      failingSince: ['queues.failing_since', 'integer'],
      failedAt: ['queues.failed_at', 'integer'],
    })
    .without('deletedAt');
}

/** The tables of these fields. */
export const webhooksWithQueues = 'FROM webhooks JOIN queues ON queues.webhook_id = webhooks.id';

/** Returns the webhook of a row. Its secrets are decrypted when they are read: lists do not show them. */
export function readWebhook(secrets: SecretCipher, row: WebhookRow): WebhookWithHealth {
  const {
    eventTypes: joined,
    pending,
    failures,
    backoffUntil,
    lastStatus,
    lastError,
    failingSince,
    failedAt,
    secret,
    stagedSecret,
    headers,
    headerNames,
    ...rest
  } = row;
  const subscribed = new Set(joined.split(','));
  return {
    ...rest,
    headerNames: headerNames.split(',').filter((name) => name !== ''),
    events: allEventTypes.filter((eventType) => subscribed.has(eventType)),
    get secret() {
      return secrets.decryptCached(secretPlaces.current(row.id), secret);
    },
    get stagedSecret() {
      if (stagedSecret === null) return null;
      return secrets.decryptCached(secretPlaces.staged(row.id), stagedSecret);
    },
    get headers() {
      return readHeaders(secrets, row.id, headers);
    },
    // An older server that resumes a webhook leaves the time.
    disabledAt: rest.status === 'active' ? null : rest.disabledAt,
    health: { pending, failures, backoffUntil, lastStatus, lastError, failingSince, failedAt },
  };
}

/** Returns what is stored of a webhook: its secrets are encrypted. */
export function toWebhookRow(secrets: SecretCipher, webhook: Webhook): WebhookRecord {
  const { id, secret, stagedSecret, headers } = webhook;
  const headerText = webhook.headerNames.length === 0 ? '' : JSON.stringify(headers);
  return {
    ...webhook,
    secret: secrets.encrypt(secretPlaces.current(id), secret),
    stagedSecret:
      stagedSecret === null ? null : secrets.encrypt(secretPlaces.staged(id), stagedSecret),
    headers: secrets.encrypt(secretPlaces.headers(id), headerText),
    headerNames: webhook.headerNames.join(),
  };
}

/** Returns what is written of a webhook that is disabled: its secrets stay as they are, also if they cannot be decrypted. */
export function toDisabledRow({
  webhookId: id,
  disabledAt,
}: DisabledWebhook): Pick<WebhookRecord, 'id' | 'status' | 'disabledAt' | 'updatedAt'> {
  return { id, status: 'paused', disabledAt, updatedAt: disabledAt };
}
