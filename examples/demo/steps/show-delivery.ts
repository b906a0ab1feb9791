import type { Order } from '@tradepost/sdk';
import type { DemoContext } from '../context';
import type { Delivery, Receiver } from '../receiver';

/** Shows the signed event as it arrives, and that the receiver verified it. */
export async function showDelivery(
  { narrator }: DemoContext,
  receiver: Receiver,
  order: Order,
): Promise<Delivery> {
  narrator.step('The signed event arrives at the receiver');
  const delivery = await receiver.nextDelivery();
  const { headers, body, status, result } = delivery;
  narrator.fields({
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'service-signature': `${String(headers['service-signature']).slice(0, 16)}… (HMAC-SHA256 of the raw body)`,
  });
  narrator.result(body.toString('utf8'));
  narrator.code(
    'const event = verifyWebhookSync({ payload: body, headers, secret, requireTimestamp: true });',
  );
  narrator.confirm(
    status === 204 && result === `order ${order.id} went from pending to fulfilling`,
    `Verified and handled: ${result}. Responded ${status}.`,
  );
  return delivery;
}
