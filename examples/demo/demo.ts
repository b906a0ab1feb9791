import type { DemoContext } from './context';
import { moveOrder } from './steps/move-order';
import { placeOrder } from './steps/place-order';
import { readNotification } from './steps/read-notification';
import { registerWebhook } from './steps/register-webhook';
import { rejectForgery } from './steps/reject-forgery';
import { showDelivery } from './steps/show-delivery';
import { showRetry } from './steps/show-retry';
import { startDemoReceiver } from './steps/start-receiver';
import { startService } from './steps/start-service';

/**
 * Runs the main flow of the platform from end to end, step by step. Returns a summary; throws at
 * the first step that fails.
 */
export async function demo(
  context: DemoContext,
  database: string,
  onLogLine: (line: string) => void,
): Promise<string> {
  const service = await startService(context, database, onLogLine);
  const receiver = await startDemoReceiver(context);
  await registerWebhook(context, service, receiver);
  const order = await placeOrder(context, service);

  context.narrator.step('Move it from pending to fulfilling with the CLI, as the seller');
  await moveOrder(context, service, order, 'fulfilling');

  const delivery = await showDelivery(context, receiver, order);
  await rejectForgery(context, receiver, delivery, order);
  await showRetry(context, service, receiver, order);
  await readNotification(context, service, order);
  return 'Done: order created and updated, signed event verified, forgery rejected, failed delivery retried, notification marked read.';
}
