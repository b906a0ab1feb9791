import type { WebhookEvent } from '@tradepost/contract/wire';
import { invalid } from './check-options';
import { examineDelivery } from './examine-delivery';
import type { VerifyWebhookOptions } from './verify-webhook-options';

/**
 * Verifies a delivery like `verifyWebhook`, without a promise. It needs Node's own crypto, as Node
 * 20.16 and later hand it out; elsewhere use `verifyWebhook`.
 *
 * @throws {WebhookVerificationError} when the delivery must not be trusted; `code` says why.
 */
export function verifyWebhookSync(options: VerifyWebhookOptions): WebhookEvent {
  // Not an import: this entry must also load where there is no Node.
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (!crypto)
    throw invalid('verifyWebhookSync needs Node 20.16 or later: use await verifyWebhook');
  const examination = examineDelivery(options);
  let step = examination.next();
  while (!step.done) {
    const { key, message, signature } = step.value;
    const computed = crypto.createHmac('sha256', key).update(message).digest();
    step = examination.next(crypto.timingSafeEqual(computed, signature));
  }
  return step.value;
}
