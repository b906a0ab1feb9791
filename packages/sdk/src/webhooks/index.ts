/**
 * What a receiver of deliveries needs: the check of a signature, and the types of the events. No
 * dependencies, no client.
 *
 * @example
 * import { verifyWebhook } from '@tradepost/sdk/webhooks';
 * const event = await verifyWebhook({
 *   payload: await request.text(),
 *   headers: request.headers,
 *   secret,
 *   requireTimestamp: true,
 * });
 */
export {
  type EventKind,
  eventKinds,
  type ListingAvailabilityLowData,
  type ListingAvailabilityLowEvent,
  type OrderCreatedData,
  type OrderCreatedEvent,
  type OrderStatus,
  type OrderStatusChangedData,
  type OrderStatusChangedEvent,
  type TaskApprovalRequestedEvent,
  type TaskCompletedEvent,
  type TaskData,
  type WebhookEvent,
} from '@tradepost/contract/wire';
export { verifyWebhook } from './verify-webhook';
export type { DeliveryHeaders, VerifyWebhookOptions } from './verify-webhook-options';
export { verifyWebhookSync } from './verify-webhook-sync';
export {
  WebhookVerificationError,
  type WebhookVerificationErrorCode,
} from './webhook-verification-error';
