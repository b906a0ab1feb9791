/**
 * What a receiver of deliveries needs: the check of a signature, a receiver for your framework, and
 * the types of the events. No dependencies, no client.
 *
 * @example
 * import { verifyWebhook } from '@tradepost/sdk/webhooks';
 * const event = await verifyWebhook({ payload: request, secret, requireTimestamp: true });
 */
export {
  type EventKind,
  eventKinds,
  type ListingAvailabilityLowData,
  type ListingAvailabilityLowEvent,
  type OrderStatus,
  type TaskApprovalRequestedEvent,
  type TaskCompletedEvent,
  type TaskData,
} from '@tradepost/contract/wire';
export type { DedupeState, DedupeStore } from '../receiver/dedupe-store';
export type {
  FastifyInstanceLike,
  FastifyPluginOptions,
  FastifyReplyLike,
  FastifyRequestLike,
} from '../receiver/fastify-adapter';
export type { FetchRequest } from '../receiver/fetch-adapter';
export type { LambdaEvent, LambdaResult } from '../receiver/lambda-adapter';
export {
  type MemoryDedupe,
  type MemoryDedupeOptions,
  memoryDedupe,
} from '../receiver/memory-dedupe';
export type { NodeRequest, NodeResponse } from '../receiver/node-adapter';
export type {
  After,
  EventHandler,
  EventHandlers,
  OnError,
  WebhookReceiverOptions,
} from '../receiver/receiver-options';
export { type WebhookReceiver, webhookReceiver } from '../receiver/webhook-receiver';
export type { Unrecognized } from '../unrecognized';
export type { VerifiedDelivery } from './verified-delivery';
export { verifyDelivery } from './verify-delivery';
export { verifyDeliverySync } from './verify-delivery-sync';
export { verifyWebhook } from './verify-webhook';
export type {
  DeliveryHeaders,
  RawPayload,
  RequestPayload,
  VerifyWebhookOptions,
  VerifyWebhookSyncOptions,
} from './verify-webhook-options';
export { verifyWebhookSync } from './verify-webhook-sync';
export type {
  EventOf,
  KnownWebhookEvent,
  OrderCreatedData,
  OrderCreatedEvent,
  OrderStatusChangedData,
  OrderStatusChangedEvent,
  UnknownWebhookEvent,
  WebhookEvent,
} from './webhook-event';
export {
  WebhookVerificationError,
  type WebhookVerificationErrorCode,
} from './webhook-verification-error';
