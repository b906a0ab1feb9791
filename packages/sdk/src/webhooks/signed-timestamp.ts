import { deliveryHeaderNames } from '@tradepost/contract/wire';
import type { CheckedOptions } from './check-options';
import type { Bytes, Claim } from './claim';
import { headerOf, missing } from './delivery-headers';
import { base64Bytes } from './signature-encoding';
import { bytesOf } from './text-bytes';
import type { VerifyWebhookOptions } from './verify-webhook-options';
import { WebhookVerificationError } from './webhook-verification-error';

const { webhookId, webhookSignature, webhookTimestamp } = deliveryHeaderNames;

/** When a delivery says it was sent, and the claims of which one must hold before that is believed. */
interface SignedTimestamp {
  /** Seconds since 1970. */
  sentAt: number;
  claims: Claim[];
}

/**
 * Reads the Standard Webhooks headers; null when neither timestamp nor signature came, unless
 * `requireTimestamp` asks for them: whoever holds a delivery can also leave them out.
 *
 * @throws {WebhookVerificationError} when a part is missing or malformed.
 */
export function readSignedTimestamp(
  { headers, requireTimestamp }: VerifyWebhookOptions,
  body: Bytes,
  secrets: string[],
): SignedTimestamp | null {
  const id = headerOf(headers, webhookId);
  const timestamp = headerOf(headers, webhookTimestamp);
  const signatures = headerOf(headers, webhookSignature);
  if (requireTimestamp && !(id && timestamp && signatures)) {
    throw missing(
      'MISSING_HEADER',
      `One of ${webhookId}, ${webhookTimestamp} and ${webhookSignature}, which requireTimestamp asks for,`,
    );
  }
  if (!timestamp && !signatures) return null;
  if (!signatures) throw missing('MISSING_SIGNATURE', webhookSignature);
  if (!timestamp) throw missing('MISSING_HEADER', webhookTimestamp);
  if (!id) throw missing('MISSING_HEADER', webhookId);
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError(
      'MALFORMED_TIMESTAMP',
      `${webhookTimestamp} must be seconds since 1970`,
    );
  }
  const tags: Bytes[] = [];
  for (const [, base64 = ''] of signatures.matchAll(/(?:^| )v1,(\S+)/g)) {
    const tag = base64Bytes(base64);
    if (tag?.length === 32) tags.push(tag);
  }
  if (!tags.length) {
    throw new WebhookVerificationError(
      'MALFORMED_SIGNATURE',
      `${webhookSignature} must be v1,<base64 of 32 bytes>`,
    );
  }
  const head = bytesOf(`${id}.${timestamp}.`);
  const message = new Uint8Array(head.length + body.length);
  message.set(head);
  message.set(body, head.length);
  const claims: Claim[] = [];
  for (const secret of secrets) {
    const key = base64Bytes(secret.replace(/^whsec_/, ''));
    if (key?.length) for (const signature of tags) claims.push({ key, message, signature });
  }
  return { sentAt: Number(timestamp), claims };
}

/**
 * Refuses a delivery that was sent outside the window around now.
 *
 * @throws {WebhookVerificationError} `TIMESTAMP_TOO_OLD` or `TIMESTAMP_TOO_NEW`.
 */
export function checkAge(sentAt: number, { now, tolerance }: CheckedOptions): void {
  const age = now - sentAt;
  if (Math.abs(age) > tolerance) {
    throw new WebhookVerificationError(
      age > 0 ? 'TIMESTAMP_TOO_OLD' : 'TIMESTAMP_TOO_NEW',
      `The delivery was signed ${Math.round(age)} s ago and tolerance is ${tolerance} s: a replay, or a wrong clock`,
    );
  }
}
