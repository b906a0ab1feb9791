import { createHmac } from 'node:crypto';
import {
  formatPosition,
  deliveryHeaderNames as names,
  positionHead,
} from '@tradepost/contract/wire';
import type { LeasedDelivery } from '@tradepost/domain/deliveries/delivery';
import { version } from '../../kernel/version';

const userAgent = `Tradepost/${version}`;

/** The parts of a delivery that its headers depend on. */
export type DeliveryIdentity = Pick<
  LeasedDelivery,
  'eventId' | 'body' | 'secret' | 'stagedSecret' | 'test' | 'sequence' | 'orderVersion'
>;

/** Returns `webhook-signature`. While a secret is staged, it has one signature by each secret. Source: Standard Webhooks. */
function standardSignatures(
  { eventId, body, secret, stagedSecret }: DeliveryIdentity,
  seconds: number,
) {
  const current = signStandard(secret, eventId, seconds, body);
  if (stagedSecret === null) return current;
  return `${current} ${signStandard(stagedSecret, eventId, seconds, body)}`;
}

/**
 * Returns the headers of one attempt, in their documented spelling. `Service-Signature` has one value, by the current secret.
 *
 * @param now The time of the attempt in milliseconds since 1970. Receivers reject old timestamps.
 */
export function deliveryHeaders(delivery: DeliveryIdentity, now: number): Record<string, string> {
  const seconds = Math.floor(now / 1000);
  // One object literal: spreading several objects into one costs as much as a signature.
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': userAgent,
    [names.signature]: signBody(delivery.secret, delivery.body),
    [names.webhookId]: delivery.eventId,
    [names.webhookTimestamp]: String(seconds),
    [names.webhookSignature]: standardSignatures(delivery, seconds),
  };
  if (delivery.test) headers[names.test] = 'true';
  if (delivery.sequence !== null) addPosition(headers, delivery, delivery.sequence, seconds);
  return headers;
}

/** Adds the position of the event, with one signature by each secret. */
function addPosition(
  headers: Record<string, string>,
  { eventId, orderVersion, body, secret, stagedSecret }: DeliveryIdentity,
  sequence: number,
  seconds: number,
): void {
  const position = formatPosition({ sequence, orderVersion });
  const message = positionHead(eventId, seconds, position) + body;
  const current = signBody(secret, message);
  headers[names.position] = position;
  headers[names.positionSignature] =
    stagedSecret === null ? current : `${current} ${signBody(stagedSecret, message)}`;
}

/** What the delivery log has instead of the value of a header of the webhook's own, which may be a key. */
const hiddenValue = '[hidden]';

/** Adds the headers of a webhook to those of one attempt, and returns both; `headers` gets the names only. */
export function addCustomHeaders(
  headers: Record<string, string>,
  custom: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = Object.keys(custom);
  if (names.length === 0) return headers;
  const all = { ...custom, ...headers };
  for (const name of names) headers[name] = hiddenValue;
  return all;
}

const secretPrefix = 'whsec_';

/**
 * Returns `Service-Signature`: the lowercase hex HMAC-SHA256 of the body, keyed with the whole secret text. Source: API
 * specification, "Signature".
 */
export function signBody(secret: string, body: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** Returns one signature of `webhook-signature`, keyed with the bytes after `whsec_`. Source: Standard Webhooks. */
export function signStandard(secret: string, id: string, seconds: number, body: string): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}
