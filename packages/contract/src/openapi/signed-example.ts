import { createHmac } from 'node:crypto';
import { formatPosition, positionHead } from '../deliveries/position';
import type { OrderStatusChangedEvent } from '../events/event';

const key = Buffer.from('a key of thirty-two bytes, or so');

const event: OrderStatusChangedEvent = {
  event: 'order.status_changed',
  createdAt: '2026-11-21T09:30:00.000Z',
  data: {
    orderId: 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
    previousStatus: 'pending',
    status: 'fulfilling',
  },
};

const secret = `whsec_${key.toString('base64')}`;
const body = JSON.stringify(event);
const id = 'evt_01KAJ8Q0V7T3M5X9R2C4D6F8GH';
const timestamp = '1795253400';
const position = formatPosition({ sequence: 1_838_339_481_600_000, orderVersion: 2 });

function hmac(withKey: string | Buffer, text: string, encoding: 'hex' | 'base64'): string {
  return createHmac('sha256', withKey).update(text).digest(encoding);
}

/** A delivery with its real signatures, to test a receiver with. */
export const signedExample = {
  event,
  secret,
  body,
  id,
  timestamp,
  serviceSignature: hmac(secret, body, 'hex'),
  position,
  positionSignature: hmac(secret, positionHead(id, timestamp, position) + body, 'hex'),
  webhookSignature: `v1,${hmac(key, `${id}.${timestamp}.${body}`, 'base64')}`,
};
