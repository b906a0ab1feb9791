import { verifyDeliverySync } from './verify-delivery-sync';
import type { VerifyWebhookSyncOptions } from './verify-webhook-options';
import type { WebhookEvent } from './webhook-event';

/**
 * Verifies a delivery like `verifyWebhook`, without a promise. It needs Node's own crypto, as Node
 * 20.16 and later hand it out; elsewhere use `verifyWebhook`.
 *
 * @throws {WebhookVerificationError} when the delivery must not be trusted; `code` says why.
 */
export function verifyWebhookSync(options: VerifyWebhookSyncOptions): WebhookEvent {
  return verifyDeliverySync(options).event;
}
