import { createHmac } from 'node:crypto';

/** The secret that all deliveries of the `verify` bench are signed with, in every scheme. */
export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLjQkWm0tNc1x2Y4=';
/** Its decoded bytes, the key of `webhook-signature`. */
export const key = Buffer.from(secret.slice('whsec_'.length), 'base64');

/** One delivery, signed by each of the schemes. */
export interface SignedDelivery {
  body: Buffer;
  /** Its `data.status`, which has to be in the event that a verifier returns. */
  status: string;
  /** The value of `Service-Signature`. */
  signature: string;
  /** Headers as in Node: `Service-Signature` and those of any request. */
  headers: Record<string, string>;
  /** The same with the three headers of Standard Webhooks. */
  allHeaders: Record<string, string>;
  /** Only those three. */
  standardHeaders: Record<string, string>;
  /** The same three as Svix names them. */
  svixHeaders: Record<string, string>;
  /** The value of `Stripe-Signature`. */
  stripeSignature: string;
  /** The value of `X-Hub-Signature-256`. */
  hubSignature: string;
}

/** The envelope of an `order.status_changed`, padded in `data` to a size in bytes. */
function paddedBody(status: string, bytes: number): Buffer {
  const render = (note: string) =>
    JSON.stringify({
      event: 'order.status_changed',
      createdAt: '2026-01-15T09:30:00.000Z',
      data: { orderId: 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH', previousStatus: 'pending', status, note },
    });
  const padding = bytes - render('').length;
  return Buffer.from(render('delivered by truck '.repeat(padding).slice(0, padding)));
}

/**
 * Signs a delivery.
 *
 * @param bytes The size of its body.
 * @param seconds When it is signed, in seconds since 1970.
 */
export function signedDelivery(status: string, bytes: number, seconds: number): SignedDelivery {
  const body = paddedBody(status, bytes);
  const id = 'evt_01KAJ8Q0V7T3M5X9R2C4D6F8GJ';
  const timestamp = String(seconds);
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const standard = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body);
  const standardSignature = `v1,${standard.digest('base64')}`;
  const stripe = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const headers = {
    host: 'receiver.example',
    connection: 'keep-alive',
    'content-type': 'application/json',
    'user-agent': 'Tradepost/0.1.0',
    'service-signature': signature,
    'content-length': String(body.length),
  };
  const standardHeaders = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': standardSignature,
  };
  return {
    body,
    status,
    signature,
    headers,
    allHeaders: { ...headers, ...standardHeaders },
    standardHeaders,
    svixHeaders: {
      'svix-id': id,
      'svix-timestamp': timestamp,
      'svix-signature': standardSignature,
    },
    stripeSignature: `t=${timestamp},v1=${stripe}`,
    hubSignature: `sha256=${signature}`,
  };
}
