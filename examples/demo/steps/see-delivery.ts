import type { Order } from '@tradepost/sdk';
import type { Delivery, Receiver } from '../receiver';
import type { Stage } from '../stage';

/** Shows the signed event as it arrives and that the receiver took it for genuine. */
export async function seeDelivery(
  { narrator }: Stage,
  receiver: Receiver,
  order: Order,
): Promise<Delivery> {
  narrator.step('The signed event arrives at the receiver');
  const delivery = await receiver.nextDelivery();
  const { headers, body, status, verdict } = delivery;
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
    status === 204 && verdict === `order ${order.id} went from pending to fulfilling`,
    `Verified, and acted on event.event: ${verdict}. Answered ${status}.`,
  );
  return delivery;
}
