/**
 * The client of the trade platform: orders, notifications, webhooks, and beyond the interface
 * deliveries, events and the account.
 *
 * @example
 * import { Tradepost } from '@tradepost/sdk';
 * const tradepost = new Tradepost({ baseUrl: 'https://trade.example', apiKey });
 * for await (const order of tradepost.orders.list({ status: 'pending' })) console.log(order.id);
 */
export {
  type AccountKey,
  type AccountKind,
  type CreateOrder,
  type CreateWebhook,
  type DeliveryAttempt,
  type DeliveryState,
  deliveryStates,
  type EventKind,
  eventKinds,
  type HttpClass,
  httpClasses,
  type ListDeliveries,
  type ListEvents,
  type ListNotifications,
  type ListOrders,
  type ListWebhooks,
  type NotificationType,
  type OrderStatus,
  orderQuantity,
  orderStatuses,
  type Page,
  type ProblemCode,
  type ProblemIssue,
  pageLimit,
  type StagedSecret,
  type TestWebhook,
  type UpdateOrder,
  type UpdateWebhook,
  type WebhookStatus,
  webhookStatuses,
} from '@tradepost/contract/wire';
export { AbortError } from './errors/abort-error';
export { AuthenticationError } from './errors/authentication-error';
export { ConflictError } from './errors/conflict-error';
export { ConnectionError } from './errors/connection-error';
export { type AnyTradepostError, isTradepostError } from './errors/is-tradepost-error';
export { NotFoundError } from './errors/not-found-error';
export { PermissionError } from './errors/permission-error';
export { PreconditionFailedError } from './errors/precondition-failed-error';
export type { Problem } from './errors/problem';
export { RateLimitError } from './errors/rate-limit-error';
export { ServerError } from './errors/server-error';
export { TimeoutError } from './errors/timeout-error';
export {
  type ClientErrorCode,
  type ErrorCode,
  TradepostError,
  type TradepostErrorDetails,
} from './errors/tradepost-error';
export {
  UnreadableAnswerError,
  type UnreadableAnswerErrorDetails,
} from './errors/unreadable-answer-error';
export { ValidationError } from './errors/validation-error';
export type {
  Answer,
  AnswerHeaders,
  SafeFailure,
  SafeResult,
  SafeSuccess,
} from './internal/answer';
export type { AnswerCheck } from './internal/answer-check';
export type { ApiCall } from './internal/api-call';
export type {
  HookedAttempt,
  HookedError,
  HookedRequest,
  HookedResponse,
  HookedRetry,
  RequestHeaders,
  TradepostHooks,
} from './internal/hooks';
export type { ListCall } from './internal/list-call';
export type { TradepostLogger } from './internal/logger';
export type { RequestOptions } from './request-options';
export type { Account } from './resources/accounts';
export type { Delivery, DeliveryDetails } from './resources/deliveries';
export type { AccountEvent, EventFeed, EventsPage, FollowEvents } from './resources/events';
export type { Notification } from './resources/notifications';
export type { Order, UpdateOrderOptions } from './resources/orders';
export type { CreatedWebhook, Webhook, WebhookDetails } from './resources/webhooks';
export { Tradepost } from './tradepost';
export type { Fetch, TradepostOptions } from './tradepost-options';
export type { Unrecognized } from './unrecognized';
export type {
  EventOf,
  KnownWebhookEvent,
  OrderCreatedData,
  OrderCreatedEvent,
  OrderStatusChangedData,
  OrderStatusChangedEvent,
  UnknownWebhookEvent,
  WebhookEvent,
} from './webhooks/webhook-event';
