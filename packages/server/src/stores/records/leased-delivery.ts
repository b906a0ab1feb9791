import type { LeasedDelivery } from '@tradepost/domain/deliveries/delivery';
import { type SecretCipher, secretPlaces } from '../encryption';
import { Fields } from './fields';

/** Where deliveries go. */
export interface Endpoint {
  url: string;
  /** Encrypted if there is a secret key, like `stagedSecret`. */
  secret: string;
  stagedSecret: string | null;
  /** JSON, encrypted too; empty without headers. */
  headers: string;
  attemptsPerMinute: number | null;
}

/** What is read of a delivery that is leased. */
export type LeasedRow = Omit<LeasedDelivery, 'leaseToken' | keyof Endpoint>;

/**
 * Returns what is read of deliveries that are leased, joined with their events.
 *
 * @param table The table of pending deliveries.
 * @param sequence An expression for the number of the event in the log of the webhook's account.
 */
export function createLeasedFields(table: string, sequence: string): Fields<LeasedRow> {
  return new Fields<LeasedRow>({
    id: [`${table}.id`, 'text'],
    eventId: [`${table}.event_id`, 'text'],
    webhookId: [`${table}.webhook_id`, 'text'],
    attemptCount: [`${table}.attempts`, 'integer'],
    scheduledTries: [`${table}.tries`, 'integer'],
    deadlineAt: [`${table}.deadline_at`, 'integer'],
    createdAt: [`${table}.created_at`, 'integer'],
    test: [`${table}.test`, 'boolean'],
    traceContext: [`${table}.trace_context`, 'text'],
    body: ['events.body', 'text'],
    orderVersion: ['events.order_version', 'integer'],
    sequence: [sequence, 'integer'],
  });
}

/** Returns the headers of a webhook of their stored text. */
export function readHeaders(
  secrets: SecretCipher,
  webhookId: string,
  stored: string,
): Record<string, string> {
  return stored === ''
    ? {}
    : JSON.parse(secrets.decryptCached(secretPlaces.headers(webhookId), stored));
}

/** Returns a leased delivery. */
export function toLeased(
  secrets: SecretCipher,
  { url, secret, stagedSecret, headers }: Endpoint,
  row: LeasedRow,
  leaseToken: string,
): LeasedDelivery {
  const { webhookId } = row;
  return {
    id: row.id,
    eventId: row.eventId,
    leaseToken,
    attemptCount: row.attemptCount,
    scheduledTries: row.scheduledTries,
    deadlineAt: row.deadlineAt,
    createdAt: row.createdAt,
    test: row.test,
    traceContext: row.traceContext,
    webhookId,
    url,
    // Decrypted by the attempt: a secret that cannot be read must not stop the deliveries to others.
    get secret() {
      return secrets.decryptCached(secretPlaces.current(webhookId), secret);
    },
    get stagedSecret() {
      if (stagedSecret === null) return null;
      return secrets.decryptCached(secretPlaces.staged(webhookId), stagedSecret);
    },
    get headers() {
      return readHeaders(secrets, webhookId, headers);
    },
    body: row.body,
    orderVersion: row.orderVersion,
    sequence: row.sequence,
  };
}
