import { createHmac } from 'node:crypto';
import { deliveryHeaderNames } from '@tradepost/contract';

const secretPrefix = 'whsec_';

/** `Service-Signature`: lowercase hex HMAC-SHA256 of the body, keyed with the whole secret text. Source: the interface, "Signature". */
export function signBody(secret: string, body: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** `webhook-signature` as Standard Webhooks has it: keyed with the bytes that follow `whsec_`. */
export function signStandard(secret: string, id: string, seconds: number, body: string): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}

/**
 * The headers that sign one attempt.
 *
 * @param now The attempt's time in milliseconds since 1970; receivers refuse what is too old.
 */
export function signatureHeaders(
  delivery: { eventId: string; secret: string; body: string },
  now: number,
): Record<string, string> {
  const { eventId, secret, body } = delivery;
  const seconds = Math.floor(now / 1000);
  return {
    [deliveryHeaderNames.signature]: signBody(secret, body),
    [deliveryHeaderNames.webhookId]: eventId,
    [deliveryHeaderNames.webhookTimestamp]: String(seconds),
    [deliveryHeaderNames.webhookSignature]: signStandard(secret, eventId, seconds, body),
  };
}
