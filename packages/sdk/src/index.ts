/**
 * The client of the trade platform: orders, notifications and webhooks; and the extensions: deliveries,
 * events, partners, the account, its API keys, signing people in, and overviews.
 *
 * @example
 * import { Tradepost } from '@tradepost/sdk';
 * const tradepost = new Tradepost({ baseUrl: 'https://trade.example', apiKey });
 * for await (const order of tradepost.orders.list({ status: 'pending' })) console.log(order.id);
 */
export {
  type AccountKey,
  type AccountKind,
  allEventTypes,
  type DeliveryAttempt,
  type DeliveryState,
  type DeliveryStats,
  type DeliveryStatsPoint,
  deliveryStates,
  type EventType,
  type Extension,
  eventTypes,
  type KeyKind,
  maxReasonLength,
  type NotificationType,
  type OrderExpansion,
  type OrderSort,
  type OrderStatus,
  type OrderTotal,
  orderCount,
  orderQuantity,
  orderStatuses,
  orderTransitions,
  type Page,
  type ProblemCode,
  type ProblemIssue,
  pageLimit,
  type ReplayedDeliveries,
  type ResponseLatency,
  type SignInCode,
  type StagedSecret,
  type StatsWindow,
  type StatusClass,
  type Summary,
  type SummaryCount,
  statsWindows,
  statusClasses,
  type TimelineAttempt,
  type TimelineNotification,
  type WebhookExpansion,
  type WebhookStats,
  type WebhookStatus,
  webhookLimits,
  webhookStatuses,
} from '@tradepost/contract/wire';
export {
  AbortError,
  type AnyTradepostError,
  AuthenticationError,
  type ClientErrorCode,
  ConflictError,
  ConnectionError,
  type ErrorCode,
  InvalidResponseError,
  type InvalidResponseErrorDetails,
  isTradepostError,
  NotFoundError,
  PermissionError,
  PreconditionFailedError,
  type Problem,
  RateLimitError,
  type ResponseHeaders,
  ServerError,
  TimeoutError,
  TradepostError,
  type TradepostErrorDetails,
  ValidationError,
} from './errors';
export type {
  ApiPromise,
  ApiResponse,
  FailureResult,
  Result,
  SuccessResult,
} from './http/api-promise';
export type { StreamOutage } from './http/follow-pages';
export type {
  MoveOrderOptions,
  OrderMove,
  OrderMoveParams,
  OrderMoveProgress,
} from './http/move-order';
export type { PagePromise } from './http/pagination';
export { type ReadableResponse, readText } from './http/read-text';
export type {
  AttemptHookEvent,
  ErrorHookEvent,
  Fetch,
  PathRequestOptions,
  RequestHeaders,
  RequestHookEvent,
  RequestOptions,
  ResponseHookEvent,
  ResponseValidator,
  RetryHookEvent,
  TradepostHooks,
  TradepostLogger,
  TradepostOptions,
} from './options';
export type { Account, Accounts } from './resources/accounts';
export type {
  Deliveries,
  Delivery,
  DeliveryDetails,
  DeliveryListParams,
} from './resources/deliveries';
export type {
  AccountEvent,
  EventActor,
  EventListParams,
  EventPage,
  EventStream,
  Events,
  FollowEventsOptions,
  LatestEventPage,
  LatestEventsParams,
  ListingAvailabilityLowAccountEvent,
  OrderCreatedAccountEvent,
  OrderStatusChangedAccountEvent,
  TaskApprovalRequestedAccountEvent,
  TaskCompletedAccountEvent,
  UnknownAccountEvent,
  WebhookDisabledAccountEvent,
} from './resources/events';
export type {
  ApiKey,
  CreatedApiKey,
  KeyCreateParams,
  KeyListParams,
  Keys,
} from './resources/keys';
export type {
  MarkAllReadParams,
  MarkedNotifications,
  Notification,
  NotificationListParams,
  Notifications,
  UpdatedNotification,
} from './resources/notifications';
export type {
  ExpandedOrder,
  Order,
  OrderExpansions,
  OrderListing,
  OrderParty,
  UpdatedOrder,
} from './resources/order';
export type {
  OrderTimeline,
  TimelineChange,
  TimelineDelivery,
  TimelineEntry,
  TimelineEvent,
} from './resources/order-timeline';
export type {
  GetOrderOptions,
  OrderCreateParams,
  OrderListParams,
  OrderPage,
  Orders,
  OrderUpdateParams,
  UpdateOrderOptions,
} from './resources/orders';
export type { Partner, PartnerListParams, Partners } from './resources/partners';
export { createSession, type Session, type SessionOptions, type SignIn } from './resources/sign-in';
export type { Summaries } from './resources/summaries';
export type {
  CreatedWebhook,
  ExpandedWebhook,
  RegisteredWebhook,
  ReplayAllParams,
  ReplayDeliveriesParams,
  SendTestEventParams,
  Webhook,
  WebhookCreateParams,
  WebhookDetails,
  WebhookExpansions,
  WebhookListParams,
  WebhookStatsParams,
  Webhooks,
  WebhookUpdateParams,
} from './resources/webhooks';
export { Tradepost } from './tradepost';
export { exhaustive, isOneOf, type Other, type Unrecognized } from './unrecognized';
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
} from './webhooks/event';
