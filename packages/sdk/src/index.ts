/**
 * The client of the trade platform: orders, notifications, webhooks.
 *
 * @example
 * import { Tradepost } from '@tradepost/sdk';
 * const tradepost = new Tradepost({ baseUrl: 'https://trade.example', apiKey });
 * for await (const order of tradepost.orders.list({ status: 'pending' })) console.log(order.id);
 */
export {
  type CreatedWebhook,
  type CreateOrder,
  type CreateWebhook,
  type EventKind,
  eventKinds,
  type ListNotifications,
  type ListOrders,
  type Notification,
  type NotificationType,
  type Order,
  type OrderStatus,
  orderQuantity,
  orderStatuses,
  type Page,
  type Problem,
  type ProblemCode,
  type ProblemIssue,
  pageLimit,
  type UpdateOrder,
  type Webhook,
  type WebhookStatus,
} from '@tradepost/contract/wire';
export { AbortError } from './errors/abort-error';
export { AuthenticationError } from './errors/authentication-error';
export { ConflictError } from './errors/conflict-error';
export { ConnectionError } from './errors/connection-error';
export { type AnyTradepostError, isTradepostError } from './errors/is-tradepost-error';
export { NotFoundError } from './errors/not-found-error';
export { PermissionError } from './errors/permission-error';
export { PreconditionFailedError } from './errors/precondition-failed-error';
export { RateLimitError } from './errors/rate-limit-error';
export { ServerError } from './errors/server-error';
export { TimeoutError } from './errors/timeout-error';
export {
  type ClientErrorCode,
  type ErrorCode,
  TradepostError,
  type TradepostErrorDetails,
} from './errors/tradepost-error';
export { UnreadableAnswerError } from './errors/unreadable-answer-error';
export { ValidationError } from './errors/validation-error';
export type { ListCall } from './internal/list-call';
export type { RequestOptions } from './request-options';
export type { Notifications } from './resources/notifications';
export type { Orders, UpdateOrderOptions } from './resources/orders';
export type { Webhooks } from './resources/webhooks';
export { Tradepost } from './tradepost';
export type { Fetch, TradepostOptions } from './tradepost-options';
