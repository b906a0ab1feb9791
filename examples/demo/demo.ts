import type { Stage } from './stage';
import { moveOrder } from './steps/move-order';
import { openReceiver } from './steps/open-receiver';
import { openShop } from './steps/open-shop';
import { placeOrder } from './steps/place-order';
import { readNotification } from './steps/read-notification';
import { refuseForgery } from './steps/refuse-forgery';
import { registerWebhook } from './steps/register-webhook';
import { seeDelivery } from './steps/see-delivery';
import { seeRetry } from './steps/see-retry';

/**
 * The platform's main job from end to end, step by step. Returns a line that sums it up; throws at
 * the first step that fails.
 */
export async function demo(
  stage: Stage,
  database: string,
  onLogLine: (line: string) => void,
): Promise<string> {
  const shop = await openShop(stage, database, onLogLine);
  const receiver = await openReceiver(stage);
  await registerWebhook(stage, shop, receiver);
  const order = await placeOrder(stage, shop);

  stage.narrator.step('Move it from pending to fulfilling with the CLI, as the seller');
  await moveOrder(stage, shop, order, 'fulfilling');

  const delivery = await seeDelivery(stage, receiver, order);
  await refuseForgery(stage, receiver, delivery, order);
  await seeRetry(stage, shop, receiver, order);
  await readNotification(stage, shop, order);
  return 'Shown: order placed and moved, signed event verified, forgery refused, failure retried, notification read.';
}
