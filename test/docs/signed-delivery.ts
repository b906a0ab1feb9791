import { createHmac, randomUUID } from 'node:crypto';

/** A delivery as it goes over the wire. */
export interface Delivery {
  headers: Record<string, string>;
  body: string;
}

/**
 * Makes a delivery signed as the service signs it, in both ways, at this moment.
 *
 * @param secret The webhook's: `whsec_` and base64.
 */
export function signedDelivery(secret: string): Delivery {
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

/** The same delivery without what tells its age and its id, as one sends it who captured it. */
export function stripped({ headers, body }: Delivery): Delivery {
  const kept = Object.entries(headers).filter(([name]) => !name.startsWith('webhook-'));
  return { headers: Object.fromEntries(kept), body };
}

/** The same delivery with another body, as a forger sends it. */
export function tampered({ headers, body }: Delivery): Delivery {
  return { headers, body: body.replace('fulfilling', 'cancelled') };
}
