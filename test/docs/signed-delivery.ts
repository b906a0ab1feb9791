import { createHmac, randomUUID } from 'node:crypto';

/** The headers and the body of a delivery. */
export interface Delivery {
  headers: Record<string, string>;
  body: string;
}

/**
 * Creates a delivery that is signed now, with both signatures of the service.
 *
 * @param secret The endpoint secret: `whsec_` and base64.
 */
export function createSignedDelivery(secret: string): Delivery {
  const body = JSON.stringify({
    event: 'order.status_changed',
    createdAt: new Date().toISOString(),
    data: { orderId: 'ord_1', previousStatus: 'pending', status: 'fulfilling' },
  });
  const id = `evt_${randomUUID()}`;
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const standardKey = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const standard = createHmac('sha256', standardKey).update(`${id}.${timestamp}.${body}`);
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'service-signature': createHmac('sha256', secret).update(body).digest('hex'),
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${standard.digest('base64')}`,
    },
  };
}

/** Returns a delivery without its timestamp and ID, as an attacker could replay it. */
export function stripped({ headers, body }: Delivery): Delivery {
  const kept = Object.entries(headers).filter(([name]) => !name.startsWith('webhook-'));
  return { headers: Object.fromEntries(kept), body };
}

/** Returns a delivery with another body, as an attacker could forge it. */
export function tampered({ headers, body }: Delivery): Delivery {
  return { headers, body: body.replace('fulfilling', 'cancelled') };
}
