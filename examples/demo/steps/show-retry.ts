import type { Order } from '@tradepost/sdk';
import type { DemoContext } from '../context';
import type { Delivery, Receiver } from '../receiver';
import { moveOrder } from './move-order';
import type { DemoService } from './start-service';

function describe({ at, headers, status }: Delivery): string {
  const time = new Date(at).toISOString().slice(11, 23);
  return `${time}  webhook-id ${headers['webhook-id']}  responded ${status}`;
}

/** Makes the receiver fail once, and shows that the server retries with the same event. */
export async function showRetry(
  context: DemoContext,
  service: DemoService,
  receiver: Receiver,
  order: Order,
): Promise<void> {
  const { narrator } = context;
  narrator.step('The receiver fails once, and the server retries');
  receiver.failOnce();
  await moveOrder(context, service, order, 'completed');
  const first = await receiver.nextDelivery();
  narrator.result(describe(first));
  narrator.say(
    'Now the server waits about 5 seconds. Each further delay is longer; it retries for up to 24 hours.',
  );
  const second = await receiver.nextDelivery();
  narrator.result(describe(second));

  const seconds = ((second.at - first.at) / 1000).toFixed(1);
  const same = first.headers['webhook-id'] === second.headers['webhook-id'];
  narrator.confirm(
    first.status === 500 && second.status === 204,
    `Retried after ${seconds} s: ${second.result}.`,
  );
  narrator.confirm(
    same && first.body.equals(second.body),
    'webhook-id and body are identical, so a receiver can recognise the duplicate.',
  );
}
