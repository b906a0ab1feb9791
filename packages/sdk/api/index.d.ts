export declare class AbortError extends TradepostError {
  readonly name: 'AbortError';
}

export interface Account extends Omit<Account$, 'kind'> {
  kind: AccountKind | Unrecognized;
}

interface Account$ {
  id: string;
  kind: AccountKind;
  name: string;
  createdAt: string;
  key: AccountKey;
}

export type AccountEvent = {
  id: string;
} & WebhookEvent;

export interface AccountKey {
  id: string;
  hint: string;
  readOnly: boolean;
  expiresAt: string | null;
}

export type AccountKind = (typeof accountKinds)[number];

declare class Accounts {
  #private;
  get(options?: RequestOptions): ApiCall<Account>;
}

export interface Answer<Data> {
  data: Data;
  status: number;
  headers: AnswerHeaders;
  requestId: string | null;
}

export type AnswerCheck = (answer: {
  method: string;
  route: string;
  status: number;
  body: unknown;
}) => readonly ProblemIssue[];

export interface AnswerHeaders {
  get(name: string): string | null;
  forEach(callback: (value: string, name: string) => void): void;
}

export type AnyTradepostError =
  | AbortError
  | AuthenticationError
  | ConflictError
  | ConnectionError
  | NotFoundError
  | PermissionError
  | PreconditionFailedError
  | RateLimitError
  | ServerError
  | TimeoutError
  | UnreadableAnswerError
  | ValidationError
  | (TradepostError & {
      readonly name: 'TradepostError';
    });

export interface ApiCall<Data> extends Promise<Data> {
  withResponse(): Promise<Answer<Data>>;
  safe(): Promise<SafeResult<Data>>;
}

export declare class AuthenticationError extends TradepostError {
  readonly name: 'AuthenticationError';
}

export type ClientErrorCode =
  | 'invalid_configuration'
  | 'connection_failed'
  | 'timeout'
  | 'aborted'
  | 'redirected'
  | 'unreadable_answer'
  | 'contract_mismatch'
  | 'hook_failed'
  | 'http_error';

export declare class ConflictError extends TradepostError {
  readonly name: 'ConflictError';
}

export declare class ConnectionError extends TradepostError {
  readonly name: 'ConnectionError';
  readonly neverSent: boolean;
  constructor(
    message: string,
    details: TradepostErrorDetails & {
      neverSent: boolean;
    },
  );
}

export interface CreateOrder {
  listingId: string;
  quantity: number;
}

export interface CreateWebhook {
  url: string;
  events: EventKind[];
}

export interface CreatedWebhook extends Omit<CreatedWebhook$, keyof OpenFields>, OpenFields {}

interface CreatedWebhook$ extends Webhook$ {
  secret: string;
}

declare class Deliveries {
  #private;
  list(query?: ListDeliveries, options?: RequestOptions): ListCall<Delivery>;
  get(id: string, options?: RequestOptions): ApiCall<DeliveryDetails>;
  replay(id: string, options?: RequestOptions): ApiCall<Delivery>;
}

export interface Delivery extends Omit<Delivery$, keyof OpenFields$>, OpenFields$ {}

interface Delivery$ {
  id: string;
  webhookId: string;
  eventId: string;
  event: EventKind;
  state: DeliveryState;
  test: boolean;
  attempts: number;
  lastStatus: number | null;
  lastError: string | null;
  nextAttemptAt: string | null;
  deadlineAt: string;
  createdAt: string;
  finishedAt: string | null;
}

export interface DeliveryAttempt {
  number: number;
  startedAt: string;
  duration: number;
  url: string;
  headers: Record<string, string>;
  status: number | null;
  error: string | null;
  excerpt: string;
}

export interface DeliveryDetails extends Omit<DeliveryDetails$, keyof OpenFields$>, OpenFields$ {}

interface DeliveryDetails$ extends Delivery$ {
  body: string;
  attemptLog: DeliveryAttempt[];
}

export type DeliveryState = (typeof deliveryStates)[number];

interface Envelope<Kind extends EventKind, Data> {
  event: Kind;
  createdAt: string;
  data: Data;
}

export type ErrorCode = ProblemCode | ClientErrorCode | Unrecognized;

export interface EventFeed extends AsyncIterable<AccountEvent> {
  pages(): AsyncIterable<EventsPage>;
}

export type EventKind = (typeof eventKinds)[number];

export type EventOf<Kind extends KnownWebhookEvent['event']> = Extract<
  KnownWebhookEvent,
  {
    event: Kind;
  }
>;

declare class Events {
  #private;
  list(query?: ListEvents, options?: RequestOptions): ListCall<AccountEvent, EventsPage>;
  follow(query?: FollowEvents, options?: RequestOptions): EventFeed;
}

export interface EventsPage {
  data: AccountEvent[];
  nextCursor: string;
}

export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    redirect: 'manual';
    signal: AbortSignal;
  },
) => Promise<{
  readonly status: number;
  readonly headers: AnswerHeaders;
  text(): Promise<string>;
}>;

export interface FollowEvents {
  after?: string;
  since?: string;
  limit?: number;
  waitSeconds?: number;
}

export interface HookedAttempt {
  method: string;
  path: string;
  attempt: number;
}

export interface HookedError extends HookedAttempt {
  error: TradepostError;
  code: ErrorCode;
  status: number | null;
  requestId: string | null;
}

export interface HookedRequest extends HookedAttempt {
  url: string;
  headers: RequestHeaders;
}

export interface HookedResponse extends HookedAttempt {
  status: number;
  headers: AnswerHeaders;
  requestId: string | null;
  durationMs: number;
}

export interface HookedRetry extends HookedError {
  delayMs: number;
}

export type HttpClass = (typeof httpClasses)[number];

export type KnownWebhookEvent =
  | OrderCreatedEvent
  | OrderStatusChangedEvent
  | TaskApprovalRequestedEvent
  | TaskCompletedEvent
  | ListingAvailabilityLowEvent;

export interface ListCall<Item, OnePage extends Page<Item> = Page<Item>>
  extends PromiseLike<OnePage>,
    AsyncIterable<Item> {
  pages(): AsyncIterable<OnePage>;
  toArray(options: { limit: number }): Promise<Item[]>;
  withResponse(): Promise<Answer<OnePage>>;
  safe(): Promise<SafeResult<OnePage>>;
}

export interface ListDeliveries {
  webhookId?: string;
  event?: EventKind;
  state?: DeliveryState;
  since?: string;
  http?: HttpClass;
  limit?: number;
  cursor?: string;
}

export interface ListEvents {
  after?: string;
  since?: string;
  limit?: number;
  waitSeconds?: number;
}

export interface ListNotifications {
  read?: boolean;
  limit?: number;
  cursor?: string;
}

export interface ListOrders {
  status?: OrderStatus;
  createdAfter?: string;
  createdBefore?: string;
  limit?: number;
  cursor?: string;
}

export interface ListWebhooks {
  limit?: number;
  cursor?: string;
}

interface ListingAvailabilityLowData {
  listingId: string;
  sellerId: string;
  availableQuantity: number;
  threshold: number;
}

interface ListingAvailabilityLowEvent
  extends Envelope<'listing.availability_low', ListingAvailabilityLowData> {}

export declare class NotFoundError extends TradepostError {
  readonly name: 'NotFoundError';
}

export interface Notification extends Omit<Notification$, 'type'> {
  type: NotificationType | Unrecognized;
}

interface Notification$ {
  id: string;
  type: NotificationType;
  orderId: string;
  message: string;
  read: boolean;
  createdAt: string;
}

export type NotificationType = Underscored<EventKind>;

declare class Notifications {
  #private;
  list(query?: ListNotifications, options?: RequestOptions): ListCall<Notification>;
  markRead(id: string, options?: RequestOptions): ApiCall<Notification>;
}

interface OpenFields {
  events: (EventKind | Unrecognized)[];
  status: WebhookStatus | Unrecognized;
}

interface OpenFields$ {
  event: EventKind | Unrecognized;
  state: DeliveryState | Unrecognized;
}

export interface Order extends Omit<Order$, 'status'> {
  status: OrderStatus | Unrecognized;
}

interface Order$ {
  id: string;
  status: OrderStatus;
  buyerId: string;
  sellerId: string;
  agentId: string | null;
  listingId: string;
  quantity: number;
  createdAt: string;
  updatedAt: string;
}

export interface OrderCreatedData extends Omit<OrderCreatedData$, 'status'> {
  status: OrderStatus | Unrecognized;
}

interface OrderCreatedData$ {
  orderId: string;
  buyerId: string;
  sellerId: string;
  agentId: string | null;
  listingId: string;
  quantity: number;
  status: OrderStatus;
}

export interface OrderCreatedEvent extends Omit<OrderCreatedEvent$, 'data'> {
  data: OrderCreatedData;
}

interface OrderCreatedEvent$ extends Envelope<'order.created', OrderCreatedData$> {}

export type OrderStatus = (typeof orderStatuses)[number];

export interface OrderStatusChangedData
  extends Omit<OrderStatusChangedData$, 'previousStatus' | 'status'> {
  previousStatus: OrderStatus | Unrecognized;
  status: OrderStatus | Unrecognized;
}

interface OrderStatusChangedData$ {
  orderId: string;
  previousStatus: OrderStatus;
  status: OrderStatus;
}

export interface OrderStatusChangedEvent extends Omit<OrderStatusChangedEvent$, 'data'> {
  data: OrderStatusChangedData;
}

interface OrderStatusChangedEvent$
  extends Envelope<'order.status_changed', OrderStatusChangedData$> {}

declare class Orders {
  #private;
  list(query?: ListOrders, options?: RequestOptions): ListCall<Order>;
  create(body: CreateOrder, options?: RequestOptions): ApiCall<Order>;
  get(id: string, options?: RequestOptions): ApiCall<Order>;
  update(id: string, body: UpdateOrder, options?: UpdateOrderOptions): ApiCall<Order>;
}

export interface Page<Item> {
  data: Item[];
  nextCursor: string | null;
}

export declare class PermissionError extends TradepostError {
  readonly name: 'PermissionError';
}

export declare class PreconditionFailedError extends TradepostError {
  readonly name: 'PreconditionFailedError';
}

export interface Problem extends Omit<Problem$, 'code'> {
  code: ProblemCode | Unrecognized;
}

interface Problem$ {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ProblemCode;
  requestId: string;
  errors?: ProblemIssue[];
}

export type ProblemCode = keyof typeof problems;

export interface ProblemIssue {
  path: string;
  message: string;
}

export declare class RateLimitError extends TradepostError {
  readonly name: 'RateLimitError';
  readonly retryAfter: number | null;
  constructor(
    message: string,
    details: TradepostErrorDetails & {
      retryAfter: number | null;
    },
  );
}

export interface RequestHeaders extends AnswerHeaders {
  has(name: string): boolean;
  set(name: string, value: string): void;
  delete(name: string): void;
}

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  timeout?: number | undefined;
  deadline?: number | undefined;
  maxRetries?: number | undefined;
  idempotencyKey?: string | undefined;
  headers?: Record<string, string> | undefined;
}

export interface SafeFailure {
  ok: false;
  error: AnyTradepostError;
}

export type SafeResult<Data> = SafeSuccess<Data> | SafeFailure;

export interface SafeSuccess<Data> extends Answer<Data> {
  ok: true;
}

export declare class ServerError extends TradepostError {
  readonly name: 'ServerError';
  readonly retryAfter: number | null;
  constructor(
    message: string,
    details: TradepostErrorDetails & {
      retryAfter: number | null;
    },
  );
}

export interface StagedSecret {
  webhookId: string;
  secret: string;
  stagedAt: string;
}

interface TaskApprovalRequestedEvent extends Envelope<'task.approval_requested', TaskData> {}

interface TaskCompletedEvent extends Envelope<'task.completed', TaskData> {}

interface TaskData {
  taskId: string;
  orderId: string;
  agentId: string;
}

export interface TestWebhook {
  event: EventKind;
}

export declare class TimeoutError extends TradepostError {
  readonly name: 'TimeoutError';
}

export declare class Tradepost {
  readonly orders: Orders;
  readonly notifications: Notifications;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly events: Events;
  readonly account: Accounts;
  constructor(options: TradepostOptions);
}

export declare class TradepostError extends Error {
  readonly name: string;
  readonly code: ErrorCode;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly method: string | null;
  readonly path: string | null;
  readonly problem: Problem | null;
  readonly mayBeDoneBefore: boolean;
  constructor(message: string, details: TradepostErrorDetails);
}

export interface TradepostErrorDetails {
  code: ErrorCode;
  status?: number | null;
  requestId?: string | null;
  method?: string | null;
  path?: string | null;
  problem?: Problem | null;
  mayBeDoneBefore?: boolean;
  cause?: unknown;
}

export interface TradepostHooks {
  onRequest?: ((request: HookedRequest) => void | Promise<void>) | undefined;
  onResponse?: ((response: HookedResponse) => void | Promise<void>) | undefined;
  onRetry?: ((retry: HookedRetry) => void | Promise<void>) | undefined;
  onError?: ((failure: HookedError) => void | Promise<void>) | undefined;
}

export interface TradepostLogger {
  debug?(message: string, fields: object): void;
  info?(message: string, fields: object): void;
  warn?(message: string, fields: object): void;
  error?(message: string, fields: object): void;
}

export interface TradepostOptions {
  baseUrl: string;
  apiKey: string;
  timeout?: number | undefined;
  deadline?: number | undefined;
  maxRetries?: number | undefined;
  userAgent?: string | undefined;
  fetch?: Fetch | undefined;
  hooks?: TradepostHooks | undefined;
  logger?: TradepostLogger | undefined;
  validate?: AnswerCheck | undefined;
}

type Underscored<Kind extends string> = Kind extends `${infer Noun}.${infer Happened}`
  ? `${Noun}_${Happened}`
  : never;

export interface UnknownWebhookEvent {
  event: Unrecognized;
  createdAt: string;
  data: Record<string, unknown>;
}

export declare class UnreadableAnswerError extends TradepostError {
  readonly name: 'UnreadableAnswerError';
  readonly errors: ProblemIssue[];
  constructor(message: string, details: UnreadableAnswerErrorDetails);
}

export interface UnreadableAnswerErrorDetails extends TradepostErrorDetails {
  errors?: readonly ProblemIssue[];
}

export type Unrecognized = UnrecognizedValue;

declare enum UnrecognizedValue {
  Value = '~unrecognized',
}

export interface UpdateOrder {
  status: OrderStatus;
}

export interface UpdateOrderOptions extends RequestOptions {
  ifMatch?: string | undefined;
}

export interface UpdateWebhook {
  url?: string;
  events?: EventKind[];
  status?: WebhookStatus;
}

export declare class ValidationError extends TradepostError {
  readonly name: 'ValidationError';
  readonly errors: ProblemIssue[];
  constructor(message: string, details: TradepostErrorDetails);
}

export interface Webhook extends Omit<Webhook$, keyof OpenFields>, OpenFields {}

interface Webhook$ {
  id: string;
  url: string;
  events: EventKind[];
  status: WebhookStatus;
  createdAt: string;
  updatedAt: string;
}

export interface WebhookDetails extends Omit<WebhookDetails$, keyof OpenFields>, OpenFields {}

interface WebhookDetails$ extends Webhook$ {
  stagedSecretAt: string | null;
  pendingDeliveries: number;
  consecutiveFailures: number;
  heldUntil: string | null;
}

export type WebhookEvent = KnownWebhookEvent | UnknownWebhookEvent;

export type WebhookStatus = (typeof webhookStatuses)[number];

declare class Webhooks {
  #private;
  create(body: CreateWebhook, options?: RequestOptions): ApiCall<CreatedWebhook>;
  list(query?: ListWebhooks, options?: RequestOptions): ListCall<WebhookDetails>;
  get(id: string, options?: RequestOptions): ApiCall<WebhookDetails>;
  update(id: string, body: UpdateWebhook, options?: RequestOptions): ApiCall<WebhookDetails>;
  delete(id: string, options?: RequestOptions): ApiCall<void>;
  stageSecret(id: string, options?: RequestOptions): ApiCall<StagedSecret>;
  promoteSecret(id: string, options?: RequestOptions): ApiCall<WebhookDetails>;
  test(id: string, body: TestWebhook, options?: RequestOptions): ApiCall<Delivery>;
}

declare const accountKinds: readonly ['buyer', 'seller', 'agent'];

export declare const deliveryStates: readonly ['pending', 'delivered', 'failed'];

export declare const eventKinds: readonly [
  'order.created',
  'order.status_changed',
  'task.approval_requested',
  'task.completed',
  'listing.availability_low',
];

export declare const httpClasses: readonly ['2xx', '3xx', '4xx', '5xx', 'none'];

export declare function isTradepostError(value: unknown): value is AnyTradepostError;

export declare const orderQuantity: {
  readonly min: 1;
  readonly max: 1000000;
};

export declare const orderStatuses: readonly [
  'pending',
  'confirmed',
  'fulfilling',
  'completed',
  'cancelled',
];

export declare const pageLimit: {
  readonly min: 1;
  readonly max: 100;
  readonly default: 50;
};

declare const problems: {
  readonly malformed_request: {
    readonly status: 400;
    readonly title: 'The request cannot be read';
  };
  readonly malformed_json: {
    readonly status: 400;
    readonly title: 'The body is not valid JSON';
  };
  readonly bad_cursor: {
    readonly status: 400;
    readonly title: 'The cursor is not one this service gave';
  };
  readonly missing_api_key: {
    readonly status: 401;
    readonly title: 'No API key was sent';
  };
  readonly invalid_api_key: {
    readonly status: 401;
    readonly title: 'The API key is not valid';
  };
  readonly account_kind_not_allowed: {
    readonly status: 403;
    readonly title: 'This kind of account may not do this';
  };
  readonly read_only_api_key: {
    readonly status: 403;
    readonly title: 'The API key may only read';
  };
  readonly route_not_found: {
    readonly status: 404;
    readonly title: 'There is no such path';
  };
  readonly order_not_found: {
    readonly status: 404;
    readonly title: 'There is no such order';
  };
  readonly notification_not_found: {
    readonly status: 404;
    readonly title: 'There is no such notification';
  };
  readonly webhook_not_found: {
    readonly status: 404;
    readonly title: 'There is no such webhook';
  };
  readonly delivery_not_found: {
    readonly status: 404;
    readonly title: 'There is no such delivery';
  };
  readonly method_not_allowed: {
    readonly status: 405;
    readonly title: 'The path does not take this method';
  };
  readonly request_timeout: {
    readonly status: 408;
    readonly title: 'The request took too long to arrive';
  };
  readonly illegal_transition: {
    readonly status: 409;
    readonly title: 'The order cannot move to that status';
  };
  readonly insufficient_quantity: {
    readonly status: 409;
    readonly title: 'The listing has too little left';
  };
  readonly webhook_limit_reached: {
    readonly status: 409;
    readonly title: 'The account has as many webhooks as it may';
  };
  readonly webhook_deleted: {
    readonly status: 409;
    readonly title: 'The webhook was deleted, and its secret erased';
  };
  readonly webhook_paused: {
    readonly status: 409;
    readonly title: 'The webhook is paused';
  };
  readonly no_staged_secret: {
    readonly status: 409;
    readonly title: 'The webhook has no staged secret';
  };
  readonly delivery_in_progress: {
    readonly status: 409;
    readonly title: 'An attempt of the delivery is under way';
  };
  readonly precondition_failed: {
    readonly status: 412;
    readonly title: 'The order has changed since it was read';
  };
  readonly body_too_large: {
    readonly status: 413;
    readonly title: 'The body is too large';
  };
  readonly unsupported_media_type: {
    readonly status: 415;
    readonly title: 'The body is not sent as JSON';
  };
  readonly validation_failed: {
    readonly status: 422;
    readonly title: 'The request is not valid';
  };
  readonly listing_not_found: {
    readonly status: 422;
    readonly title: 'There is no such listing';
  };
  readonly idempotency_key_reused: {
    readonly status: 422;
    readonly title: 'The idempotency key belongs to another request';
  };
  readonly rate_limited: {
    readonly status: 429;
    readonly title: 'Too many requests';
  };
  readonly headers_too_large: {
    readonly status: 431;
    readonly title: 'The headers are too large';
  };
  readonly internal_error: {
    readonly status: 500;
    readonly title: 'The service failed';
  };
  readonly shutting_down: {
    readonly status: 503;
    readonly title: 'The service is shutting down';
  };
  readonly store_unavailable: {
    readonly status: 503;
    readonly title: 'The store cannot be reached';
  };
};

export declare const webhookStatuses: readonly ['active', 'paused'];
