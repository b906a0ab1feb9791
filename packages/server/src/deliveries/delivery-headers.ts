import { deliveryHeaderNames as names } from '@tradepost/contract/wire';
import { version } from '../version';
import type { ClaimedDelivery } from './delivery';
import { signBody, signStandard } from './sign';

const userAgent = `Tradepost/${version}`;

/** What of a delivery its headers tell. */
export type Told = Pick<ClaimedDelivery, 'eventId' | 'body' | 'secret' | 'stagedSecret' | 'test'>;

/** `webhook-signature`: while a secret is staged, one signature by each, so that receivers may verify with either. Source: Standard Webhooks. */
function standardSignatures({ eventId, body, secret, stagedSecret }: Told, seconds: number) {
  const current = signStandard(secret, eventId, seconds, body);
  if (stagedSecret === null) return current;
  return `${current} ${signStandard(stagedSecret, eventId, seconds, body)}`;
}

/**
 * The headers of one attempt, in their documented spelling. `Service-Signature` holds one value: it stays with
 * the present secret until another is promoted.
 *
 * @param now The attempt's time in milliseconds since 1970; receivers refuse what is too old.
 */
export function deliveryHeaders(delivery: Told, now: number): Record<string, string> {
  const seconds = Math.floor(now / 1000);
  // One literal: spreading several objects into one costs as much as a signature.
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': userAgent,
    [names.signature]: signBody(delivery.secret, delivery.body),
    [names.webhookId]: delivery.eventId,
    [names.webhookTimestamp]: String(seconds),
    [names.webhookSignature]: standardSignatures(delivery, seconds),
  };
  if (delivery.test) headers[names.test] = 'true';
  return headers;
}
