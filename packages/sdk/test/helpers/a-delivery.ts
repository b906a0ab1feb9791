import { createHmac } from 'node:crypto';
import type { WebhookEvent } from '../../src/webhooks/index';

/** The default time at which deliveries are signed and verified. */
export const sentAt = Date.parse('2026-11-21T09:30:00.000Z');

/** An endpoint secret as the service issues it. */
export const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** An event whose text has characters of more than one byte. */
export const anEvent: WebhookEvent = {
  event: 'order.status_changed',
  createdAt: '2026-11-21T09:29:59.000Z',
  data: { orderId: 'ord_ü✓', previousStatus: 'pending', status: 'fulfilling' },
};

/** `Service-Signature`: hex HMAC-SHA256 of the raw body, keyed with the whole secret. */
export function serviceSignature(body: Uint8Array, key = secret): string {
  return createHmac('sha256', key).update(body).digest('hex');
}

/** One signature of `webhook-signature`, as Standard Webhooks has it. */
export function standardSignature(
  body: Uint8Array,
  id: string,
  timestamp: string,
  key = secret,
): string {
  const hmac = createHmac('sha256', Buffer.from(key.replace(/^whsec_/, ''), 'base64'));
  return `v1,${hmac.update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** A delivery as a receiver gets it: the raw body and its headers. */
export interface Delivery {
  payload: Buffer;
  headers: Record<string, string>;
}

/** A delivery with both signatures; a test overrides the fields that matter to it. */
export function aDelivery(
  overrides: { body?: unknown; key?: string; timestamp?: string; id?: string } = {},
): Delivery {
  const { body = anEvent, key = secret, id = 'evt_1' } = overrides;
  const timestamp = overrides.timestamp ?? String(sentAt / 1_000);
  const payload = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  return {
    payload,
    headers: {
      'content-type': 'application/json',
      'service-signature': serviceSignature(payload, key),
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': standardSignature(payload, id, timestamp, key),
    },
  };
}

/** The same delivery from a service without extensions, with only `Service-Signature`. */
export function aPlainDelivery(overrides: { body?: unknown; key?: string } = {}): Delivery {
  const { payload, headers } = aDelivery(overrides);
  return { payload, headers: { 'service-signature': headers['service-signature'] ?? '' } };
}
