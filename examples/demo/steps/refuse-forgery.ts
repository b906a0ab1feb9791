import type { Order } from '@tradepost/sdk';
import { postCopy } from '../post-copy';
import type { Delivery, Receiver } from '../receiver';
import type { Stage } from '../stage';

/** Another order's id: its last character differs. */
function forge(orderId: string): string {
  return orderId.slice(0, -1) + (orderId.endsWith('0') ? '1' : '0');
}

/** Sends the receiver a forged copy of a genuine delivery, which it must refuse. */
export async function refuseForgery(
  { narrator, signal }: Stage,
  receiver: Receiver,
  genuine: Delivery,
  order: Order,
): Promise<void> {
  narrator.step('A forged copy is refused: the same request with one byte of the body changed');
  const forgedId = forge(order.id);
  const forged = Buffer.from(genuine.body.toString('utf8').replace(order.id, forgedId));
  narrator.fields({ genuine: `"orderId":"${order.id}"`, forged: `"orderId":"${forgedId}"` });
  const answer = await postCopy(receiver, genuine, forged, signal);
  // It is not for the steps after this one.
  await receiver.nextDelivery();
  narrator.confirm(
    answer.status === 400,
    `Answered ${answer.status} ${answer.text}; nothing was done.`,
  );
}
