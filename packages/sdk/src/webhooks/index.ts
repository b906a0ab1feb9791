/**
 * Verification of webhook signatures, a receiver for your framework, and the types of the events. It has no
 * dependencies and does not load the client.
 *
 * @example
 * import { verifyWebhook } from '@tradepost/sdk/webhooks';
 * const event = await verifyWebhook({ payload: request, secret, requireTimestamp: true });
 */
export {
  allEventTypes,
  type EventType,
  eventTypes,
  isTestEvent,
  type OrderStatus,
} from '@tradepost/contract/wire';
export {
  createMemoryDedupeStore,
  type DedupeState,
  type DedupeStore,
  type MemoryDedupeStore,
  type MemoryDedupeStoreOptions,
} from '../receiver/dedupe-store';
export type {
  FastifyInstanceLike,
  FastifyPluginOptions,
  FastifyReplyLike,
  FastifyRequestLike,
} from '../receiver/fastify-adapter';
export type { FetchRequest } from '../receiver/fetch-adapter';
export type { LambdaEvent, LambdaResult } from '../receiver/lambda-adapter';
export type { NodeRequest, NodeResponse } from '../receiver/node-adapter';
export type {
  AckAfter,
  AckFirst,
  BaseReceiverOptions,
  CurrentSecret,
  EventHandler,
  EventHandlers,
  EventIssues,
  OnError,
  ReceivedDelivery,
  WaitUntil,
  WebhookReceiverOptions,
} from '../receiver/options';
export { type WebhookReceiver, webhookReceiver } from '../receiver/webhook-receiver';
export { exhaustive, isOneOf, type Other, type Unrecognized } from '../unrecognized';
export type {
  EventOf,
  KnownWebhookEvent,
  ListingAvailabilityLowData,
  ListingAvailabilityLowEvent,
  OrderCreatedData,
  OrderCreatedEvent,
  OrderStatusChangedData,
  OrderStatusChangedEvent,
  TaskApprovalRequestedEvent,
  TaskCompletedEvent,
  TaskData,
  UnknownWebhookEvent,
  WebhookDisabledData,
  WebhookDisabledEvent,
  WebhookEvent,
} from './event';
export type {
  DeliveryHeaders,
  DeliveryOptions,
  RawPayload,
  RequestPayload,
  VerificationOptions,
  VerifiedDelivery,
  VerifyWebhookOptions,
  VerifyWebhookSyncOptions,
} from './options';
export { WebhookVerificationError, type WebhookVerificationErrorCode } from './verification-error';
export { verifyDelivery, verifyDeliverySync, verifyWebhook, verifyWebhookSync } from './verify';
