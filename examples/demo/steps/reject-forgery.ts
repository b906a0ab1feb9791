import type { Order } from '@tradepost/sdk';
import type { DemoContext } from '../context';
import { postDelivery } from '../post-delivery';
import type { Delivery, Receiver } from '../receiver';

/** Returns the id of another order: the last character differs. */
function forgeId(orderId: string): string {
  return orderId.slice(0, -1) + (orderId.endsWith('0') ? '1' : '0');
}

/** Sends the receiver a forged copy of a genuine delivery, which it has to reject. */
export async function rejectForgery(
  { narrator, signal }: DemoContext,
  receiver: Receiver,
  genuine: Delivery,
  order: Order,
): Promise<void> {
  narrator.step(
    'The receiver rejects a forged copy: the same request with one byte of the body changed',
  );
  const forgedId = forgeId(order.id);
  const forged = Buffer.from(genuine.body.toString('utf8').replace(order.id, forgedId));
  narrator.fields({ genuine: `"orderId":"${order.id}"`, forged: `"orderId":"${forgedId}"` });
  const response = await postDelivery(receiver, genuine, forged, signal);
  // Skip it: the next steps wait for genuine deliveries.
  await receiver.nextDelivery();
  narrator.confirm(
    response.status === 400,
    `Responded ${response.status} ${response.text} and did nothing.`,
  );
}
