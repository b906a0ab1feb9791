import type { Order } from '@tradepost/sdk';
import type { Delivery, Receiver } from '../receiver';
import type { Stage } from '../stage';
import { moveOrder } from './move-order';
import type { Shop } from './open-shop';

function describe({ at, headers, status }: Delivery): string {
  const time = new Date(at).toISOString().slice(11, 23);
  return `${time}  webhook-id ${headers['webhook-id']}  answered ${status}`;
}

/** Lets the receiver fail once and shows that the server tries again with the same event. */
export async function seeRetry(
  stage: Stage,
  shop: Shop,
  receiver: Receiver,
  order: Order,
): Promise<void> {
  const { narrator } = stage;
  narrator.step('The receiver fails once: the server tries again');
  receiver.failOnce();
  await moveOrder(stage, shop, order, 'completed');
  const first = await receiver.nextDelivery();
  narrator.result(describe(first));
  narrator.say(
    'Now the server waits about 5 seconds, for real; later pauses grow, for up to 24 h.',
  );
  const second = await receiver.nextDelivery();
  narrator.result(describe(second));

  const seconds = ((second.at - first.at) / 1000).toFixed(1);
  const same = first.headers['webhook-id'] === second.headers['webhook-id'];
  narrator.confirm(
    first.status === 500 && second.status === 204,
    `Retried after ${seconds} s: ${second.verdict}.`,
  );
  narrator.confirm(
    same && first.body.equals(second.body),
    'The webhook-id and each byte of the body are the same: a receiver can tell a repetition.',
  );
}
