export declare class AbortError extends TradepostError {
  readonly name: 'AbortError';
}

export interface Account {
  id: string;
  kind: AccountKind | Other;
  name: string;
  createdAt: string;
  key: AccountKey;
}

export type AccountEvent =
  | OrderCreatedAccountEvent
  | OrderStatusChangedAccountEvent
  | TaskApprovalRequestedAccountEvent
  | TaskCompletedAccountEvent
  | ListingAvailabilityLowAccountEvent
  | WebhookDisabledAccountEvent
  | UnknownAccountEvent;

export interface AccountKey {
  id: string;
  prefix: string;
  readOnly: boolean;
  expiresAt: string | null;
}

export type AccountKind = (typeof accountKinds)[number];

export declare class Accounts {
  #private;
  get(options?: RequestOptions): ApiPromise<Account>;
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
  | InvalidResponseError
  | ValidationError
  | (TradepostError & {
      readonly name: 'TradepostError';
    });

export interface ApiKey extends AccountKey {
  name: string | null;
  kind: KeyKind | Other;
  createdAt: string;
  revokedAt: string | null;
  lastUsedAt: string | null;
  createdBy: string | null;
  current: boolean;
}

export interface ApiPromise<Data> extends Promise<Data> {
  withResponse(): Promise<ApiResponse<Data>>;
  safe(): Promise<Result<Data>>;
}

export interface ApiResponse<Data> {
  data: Data;
  status: number;
  headers: ResponseHeaders;
  requestId: string | null;
  extensions: readonly (Extension | Other)[];
}

export interface AttemptHookEvent {
  operation: string;
  route: string;
  callId: string;
  method: string;
  path: string;
  attempt: number;
}

export declare class AuthenticationError extends TradepostError {
  readonly name: 'AuthenticationError';
}

export type ClientErrorCode =
  | 'invalid_configuration'
  | 'connection_failed'
  | 'load_failed'
  | 'timeout'
  | 'aborted'
  | 'redirected'
  | 'invalid_response'
  | 'response_too_large'
  | 'contract_mismatch'
  | 'hook_failed'
  | 'http_error';

export declare class ConflictError extends TradepostError {
  readonly name: 'ConflictError';
}

export declare class ConnectionError extends TradepostError {
  readonly name: 'ConnectionError';
  readonly notSent: boolean;
  constructor(
    message: string,
    details: TradepostErrorDetails & {
      notSent: boolean;
    },
  );
}

export interface CreatedApiKey extends ApiKey {
  key: string;
}

export type CreatedWebhook = Pick<RegisteredWebhook, 'url' | 'events'> & Partial<RegisteredWebhook>;

export declare class Deliveries {
  #private;
  list(params?: DeliveryListParams, options?: RequestOptions): PagePromise<Delivery>;
  get(id: string, options?: RequestOptions): ApiPromise<DeliveryDetails>;
  replay(id: string, options?: RequestOptions): ApiPromise<Delivery>;
}

export interface Delivery {
  id: string;
  webhookId: string;
  eventId: string;
  event: EventType | Other;
  orderId: string | null;
  state: DeliveryState | Other;
  test: boolean;
  attemptCount: number;
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
  durationMs: number;
  url: string;
  headers: Record<string, string>;
  status: number | null;
  error: string | null;
  responseSnippet: string;
}

export interface DeliveryDetails extends Delivery {
  body: string;
  attempts: DeliveryAttempt[];
}

export interface DeliveryListParams {
  webhookId?: string | undefined;
  eventId?: string | undefined;
  orderId?: string | undefined;
  event?: EventType | undefined;
  state?: DeliveryState | undefined;
  since?: string | Date | undefined;
  until?: string | Date | undefined;
  statusClass?: StatusClass | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

export type DeliveryState = (typeof deliveryStates)[number];

export interface DeliveryStats {
  delivered: number;
  failed: number;
  attempts: Record<StatusClass, number>;
  latencyMs: ResponseLatency | null;
}

export interface DeliveryStatsPoint extends DeliveryStats {
  start: string;
}

export type ErrorCode = ProblemCode | ClientErrorCode | Other;

export interface ErrorHookEvent extends AttemptHookEvent {
  durationMs: number;
  error: TradepostError;
  code: ErrorCode;
  status: number | null;
  requestId: string | null;
}

export interface EventActor {
  accountId: string;
  kind: AccountKind | Other;
}

export interface EventListParams {
  after?: string | undefined;
  since?: string | Date | undefined;
  until?: string | Date | undefined;
  type?: EventType | undefined;
  orderId?: string | undefined;
  limit?: number | undefined;
  waitSeconds?: number | undefined;
}

export type EventOf<Type extends KnownWebhookEvent['event']> = Extract<
  KnownWebhookEvent,
  {
    event: Type;
  }
>;

export interface EventPage {
  data: AccountEvent[];
  nextCursor: string;
  hasMore?: boolean;
}

export interface EventStream extends AsyncIterable<AccountEvent> {
  pages(): AsyncIterable<EventPage>;
}

export type EventType = (typeof allEventTypes)[number];

export declare class Events {
  #private;
  list(params?: EventListParams, options?: RequestOptions): PagePromise<AccountEvent, EventPage>;
  latest(
    params?: LatestEventsParams,
    options?: RequestOptions,
  ): PagePromise<AccountEvent, LatestEventPage>;
  get(id: string, options?: RequestOptions): ApiPromise<AccountEvent>;
  follow(params?: FollowEventsOptions, options?: RequestOptions): EventStream;
}

export type ExpandedOrder<Expand extends OrderExpansion = OrderExpansion> = Order &
  Pick<OrderExpansions, Expand>;

export type ExpandedWebhook<Expand extends WebhookExpansion = WebhookExpansion> = WebhookDetails &
  Pick<WebhookExpansions, Expand>;

export type Extension = (typeof extensions)[number];

export interface FailureResult {
  ok: false;
  error: AnyTradepostError;
}

export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    redirect: 'manual';
    signal: AbortSignal;
    maxResponseBytes?: number;
  },
) => Promise<{
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body?: unknown;
  text(): Promise<string>;
}>;

export interface FollowEventsOptions {
  after?: string | undefined;
  from?: 'now' | undefined;
  since?: string | Date | undefined;
  type?: EventType | undefined;
  orderId?: string | undefined;
  limit?: number | undefined;
  waitSeconds?: number | undefined;
  reconnectTimeout?: number | undefined;
  onOutage?: ((outage: StreamOutage) => void) | undefined;
}

export interface GetOrderOptions extends RequestOptions {
  expand?: OrderExpansion | readonly OrderExpansion[] | undefined;
}

type Handled<Value> = [Known<Value>] extends [never]
  ? unknown
  : {
      notHandled: Known<Value>;
    };

export declare class InvalidResponseError extends TradepostError {
  readonly name: 'InvalidResponseError';
  readonly errors: ProblemIssue[];
  constructor(message: string, details: InvalidResponseErrorDetails);
}

export interface InvalidResponseErrorDetails extends TradepostErrorDetails {
  errors?: readonly ProblemIssue[] | undefined;
}

export interface KeyCreateParams {
  name?: string | undefined;
  readOnly?: boolean | undefined;
  expiresIn?: number | undefined;
}

export type KeyKind = (typeof keyKinds)[number];

export interface KeyListParams {
  limit?: number | undefined;
  cursor?: string | undefined;
}

export declare class Keys {
  #private;
  list(params?: KeyListParams, options?: RequestOptions): PagePromise<ApiKey>;
  create(params?: KeyCreateParams, options?: RequestOptions): ApiPromise<CreatedApiKey>;
  revoke(id: string, options?: RequestOptions): ApiPromise<void>;
}

type Known<Value> = Value extends Unrecognized ? never : string extends Value ? never : Value;

export type KnownWebhookEvent =
  | OrderCreatedEvent
  | OrderStatusChangedEvent
  | TaskApprovalRequestedEvent
  | TaskCompletedEvent
  | ListingAvailabilityLowEvent
  | WebhookDisabledEvent;

export interface LatestEventPage {
  data: AccountEvent[];
  nextCursor: string | null;
  after: string;
}

export interface LatestEventsParams {
  since?: string | Date | undefined;
  until?: string | Date | undefined;
  type?: EventType | undefined;
  orderId?: string | undefined;
  limit?: number | undefined;
  before?: string | undefined;
}

export interface ListingAvailabilityLowAccountEvent extends ListingAvailabilityLowEvent {
  id: string;
  actor?: EventActor | null;
}

export interface ListingAvailabilityLowData {
  listingId: string;
  sellerId: string;
  availableQuantity: number;
  threshold: number;
}

export interface ListingAvailabilityLowEvent {
  event: 'listing.availability_low';
  createdAt: string;
  data: ListingAvailabilityLowData;
}

export interface MarkAllReadParams {
  before: string | Date;
}

export interface MarkedNotifications {
  marked: number;
  hasMore: boolean;
}

export interface MoveOrderOptions extends RequestOptions {
  dryRun?: boolean | undefined;
  beforeUpdate?: ((order: Order, response: ApiResponse<Order>) => void | Promise<void>) | undefined;
  progress?: OrderMoveProgress | undefined;
}

export declare class NotFoundError extends TradepostError {
  readonly name: 'NotFoundError';
}

export interface Notification {
  id: string;
  type: NotificationType | Other;
  orderId: string;
  message: string;
  read: boolean;
  createdAt: string;
}

export interface NotificationListParams {
  read?: boolean | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

export type NotificationType = Underscore<EventType>;

export declare class Notifications {
  #private;
  list(params?: NotificationListParams, options?: RequestOptions): PagePromise<Notification>;
  markRead(id: string, options?: RequestOptions): ApiPromise<UpdatedNotification>;
  markAllRead(params: MarkAllReadParams, options?: RequestOptions): ApiPromise<MarkedNotifications>;
}

export interface Order {
  id: string;
  status: OrderStatus | Other;
  buyerId: string;
  sellerId: string;
  agentId: string | null;
  listingId: string;
  quantity: number;
  createdAt: string;
  updatedAt: string;
}

export interface OrderCreateParams {
  listingId: string;
  quantity: number;
}

export interface OrderCreatedAccountEvent extends OrderCreatedEvent {
  id: string;
  actor?: EventActor | null;
}

export interface OrderCreatedData {
  orderId: string;
  buyerId: string;
  sellerId: string;
  agentId: string | null;
  listingId: string;
  quantity: number;
  status: OrderStatus | Other;
}

export interface OrderCreatedEvent {
  event: 'order.created';
  createdAt: string;
  data: OrderCreatedData;
}

export type OrderExpansion = (typeof orderExpansions)[number];

export interface OrderExpansions {
  buyer: OrderParty;
  seller: OrderParty;
  agent: OrderParty | null;
  listing: OrderListing;
  etag: string;
}

export interface OrderListParams {
  status?: OrderStatus | readonly OrderStatus[] | undefined;
  buyerId?: string | undefined;
  sellerId?: string | undefined;
  listingId?: string | undefined;
  minQuantity?: number | undefined;
  maxQuantity?: number | undefined;
  createdAfter?: string | Date | undefined;
  createdBefore?: string | Date | undefined;
  updatedAfter?: string | Date | undefined;
  sort?: OrderSort | undefined;
  expand?: OrderExpansion | readonly OrderExpansion[] | undefined;
  count?: number | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface OrderListing {
  id: string;
  title: string | null;
}

export interface OrderMove {
  outcome: 'moved' | 'unchanged' | 'skipped' | 'unknown' | 'possible' | 'impossible';
  from: Order['status'];
  order: Order;
}

export interface OrderMoveParams {
  to: OrderStatus;
  from?: OrderStatus | undefined;
  reason?: string | undefined;
}

export interface OrderMoveProgress {
  before?: Order | undefined;
  lost?: TradepostError | undefined;
}

export interface OrderPage<Item extends Order = Order> extends Page<Item> {
  total?: OrderTotal;
}

export interface OrderParty {
  id: string;
  name: string;
}

export type OrderSort = (typeof orderSorts)[number];

export type OrderStatus = (typeof orderStatuses)[number];

export interface OrderStatusChangedAccountEvent extends OrderStatusChangedEvent {
  id: string;
  actor?: EventActor | null;
}

export interface OrderStatusChangedData {
  orderId: string;
  previousStatus: OrderStatus | Other;
  status: OrderStatus | Other;
  reason?: string;
}

export interface OrderStatusChangedEvent {
  event: 'order.status_changed';
  createdAt: string;
  data: OrderStatusChangedData;
}

export interface OrderTimeline {
  entries: TimelineEntry[];
  prunedBefore: string | null;
}

export interface OrderTotal {
  count: number;
  atLeast: boolean;
}

export interface OrderUpdateParams {
  status: OrderStatus;
  reason?: string | undefined;
}

export declare class Orders {
  #private;
  list<const Expand extends OrderExpansion>(
    params: OrderListParams & {
      expand: Expand | readonly Expand[];
    },
    options?: RequestOptions,
  ): PagePromise<ExpandedOrder<Expand>, OrderPage<ExpandedOrder<Expand>>>;
  list(params?: OrderListParams, options?: RequestOptions): PagePromise<Order, OrderPage>;
  create(params: OrderCreateParams, options?: RequestOptions): ApiPromise<Order>;
  get<const Expand extends OrderExpansion>(
    id: string,
    options: GetOrderOptions & {
      expand: Expand | readonly Expand[];
    },
  ): ApiPromise<ExpandedOrder<Expand>>;
  get(id: string, options?: GetOrderOptions): ApiPromise<Order>;
  update(
    id: string,
    params: OrderUpdateParams,
    options?: UpdateOrderOptions,
  ): ApiPromise<UpdatedOrder>;
  move(id: string, params: OrderMoveParams, options?: MoveOrderOptions): Promise<OrderMove>;
  timeline(id: string, options?: RequestOptions): ApiPromise<OrderTimeline>;
}

export type Other = string & Record<never, never>;

export interface Page<Item> {
  data: Item[];
  nextCursor: string | null;
}

export interface PagePromise<Item, OnePage extends Page<Item> = Page<Item>>
  extends Promise<OnePage>,
    AsyncIterable<Item> {
  pages(): AsyncIterable<OnePage>;
  toArray(options: { limit: number }): Promise<Item[]>;
  withResponse(): Promise<ApiResponse<OnePage>>;
  safe(): Promise<Result<OnePage>>;
}

export interface Partner {
  id: string;
  kind: AccountKind | Other;
  name: string;
}

export interface PartnerListParams {
  name?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

export declare class Partners {
  #private;
  list(params?: PartnerListParams, options?: RequestOptions): PagePromise<Partner>;
}

export interface PathRequestOptions extends RequestOptions {
  query?: Record<string, string | number | boolean | Date | undefined> | undefined;
  body?: unknown;
}

export declare class PermissionError extends TradepostError {
  readonly name: 'PermissionError';
}

export declare class PreconditionFailedError extends TradepostError {
  readonly name: 'PreconditionFailedError';
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ProblemCode | Other;
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

export interface ReadableResponse {
  readonly body?: unknown;
  text(): Promise<string>;
}

export interface RegisteredWebhook extends Webhook {
  secret: string;
}

export interface ReplayAllParams extends ReplayDeliveriesParams {
  max?: number | undefined;
}

export interface ReplayDeliveriesParams {
  state?: DeliveryState | undefined;
  since?: string | Date | undefined;
  until?: string | Date | undefined;
  event?: EventType | undefined;
  statusClass?: StatusClass | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface ReplayedDeliveries {
  replayed: number;
  skipped: number;
  nextCursor: string | null;
}

export interface RequestHeaders extends ResponseHeaders {
  has(name: string): boolean;
  set(name: string, value: string): void;
  delete(name: string): void;
}

export interface RequestHookEvent extends AttemptHookEvent {
  url: string;
  headers: RequestHeaders;
}

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  timeout?: number | undefined;
  deadline?: number | undefined;
  maxRetries?: number | undefined;
  idempotencyKey?: string | undefined;
  headers?: Record<string, string> | undefined;
}

export interface ResponseHeaders {
  get(name: string): string | null;
  forEach(callback: (value: string, name: string) => void): void;
}

export interface ResponseHookEvent extends AttemptHookEvent {
  status: number;
  headers: ResponseHeaders;
  requestId: string | null;
  durationMs: number;
}

export interface ResponseLatency {
  mean: number;
  p50: number;
  p95: number;
}

export type ResponseValidator = (response: {
  method: string;
  route: string;
  status: number;
  body: unknown;
}) => readonly ProblemIssue[];

export type Result<Data> = SuccessResult<Data> | FailureResult;

export interface RetryHookEvent extends ErrorHookEvent {
  delayMs: number;
}

export interface SendTestEventParams {
  event: EventType;
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

export interface Session {
  key: string;
  account: Account;
}

export type SessionOptions = Omit<TradepostOptions, 'apiKey'>;

export declare class SignIn {
  #private;
  createCode(options?: RequestOptions): ApiPromise<SignInCode>;
}

export interface SignInCode {
  code: string;
  expiresAt: string;
}

export interface StagedSecret {
  webhookId: string;
  secret: string;
  stagedAt: string;
}

export type StatsWindow = (typeof statsWindows)[number];

export type StatusClass = (typeof statusClasses)[number];

export type StreamOutage =
  | {
      state: 'waiting';
      error: TradepostError;
      failures: number;
      delayMs: number;
      remainingMs: number;
    }
  | {
      state: 'over';
      failures: number;
    };

export interface SuccessResult<Data> extends ApiResponse<Data> {
  ok: true;
}

export declare class Summaries {
  #private;
  get(options?: RequestOptions): ApiPromise<Summary>;
}

export interface Summary {
  asOf: string;
  orders: Record<OrderStatus, SummaryCount>;
  unread: SummaryCount;
  webhooks: {
    active: number;
    paused: number;
    disabled: number;
    backoff: number;
  };
}

export interface SummaryCount {
  count: number;
  atLeast: boolean;
}

export interface TaskApprovalRequestedAccountEvent extends TaskApprovalRequestedEvent {
  id: string;
  actor?: EventActor | null;
}

export interface TaskApprovalRequestedEvent {
  event: 'task.approval_requested';
  createdAt: string;
  data: TaskData;
}

export interface TaskCompletedAccountEvent extends TaskCompletedEvent {
  id: string;
  actor?: EventActor | null;
}

export interface TaskCompletedEvent {
  event: 'task.completed';
  createdAt: string;
  data: TaskData;
}

export interface TaskData {
  taskId: string;
  orderId: string;
  agentId: string;
}

export type TimelineAttempt = Pick<
  DeliveryAttempt,
  'number' | 'startedAt' | 'durationMs' | 'status' | 'error'
>;

export interface TimelineChange {
  from: OrderStatus | Other | null;
  to: OrderStatus | Other;
  reason: string | null;
  actor: EventActor | null;
}

export interface TimelineDelivery extends Delivery {
  attempts: TimelineAttempt[];
}

export interface TimelineEntry {
  change: TimelineChange | null;
  event: TimelineEvent;
  notification: TimelineNotification | null;
  deliveries: TimelineDelivery[];
}

export interface TimelineEvent {
  id: string;
  type: EventType | Other;
  createdAt: string;
}

export interface TimelineNotification {
  id: string;
  read: boolean;
}

export declare class TimeoutError extends TradepostError {
  readonly name: 'TimeoutError';
}

export declare class Tradepost {
  #private;
  readonly orders: Orders;
  readonly notifications: Notifications;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly events: Events;
  readonly partners: Partners;
  readonly account: Accounts;
  readonly summary: Summaries;
  readonly keys: Keys;
  readonly signIn: SignIn;
  constructor(options: TradepostOptions);
  withOptions(options: Partial<TradepostOptions>): Tradepost;
  request<Body = unknown>(
    method: string,
    path: string,
    options?: PathRequestOptions,
  ): ApiPromise<Body>;
}

export declare class TradepostError extends Error {
  readonly name: string;
  readonly code: ErrorCode;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly method: string | null;
  readonly path: string | null;
  readonly problem: Problem | null;
  readonly headers: ResponseHeaders | null;
  readonly body: unknown;
  readonly mayHaveBeenApplied: boolean;
  get extensions(): readonly (Extension | Other)[];
  constructor(message: string, details: TradepostErrorDetails);
}

export interface TradepostErrorDetails {
  code: ErrorCode;
  status?: number | null | undefined;
  requestId?: string | null | undefined;
  method?: string | null | undefined;
  path?: string | null | undefined;
  problem?: Problem | null | undefined;
  headers?: ResponseHeaders | null | undefined;
  body?: unknown;
  mayHaveBeenApplied?: boolean | undefined;
  cause?: unknown;
}

export interface TradepostHooks {
  onRequest?: ((request: RequestHookEvent) => void | Promise<void>) | undefined;
  onResponse?: ((response: ResponseHookEvent) => void | Promise<void>) | undefined;
  onRetry?: ((retry: RetryHookEvent) => void | Promise<void>) | undefined;
  onError?: ((failure: ErrorHookEvent) => void | Promise<void>) | undefined;
}

export interface TradepostLogger {
  debug?: WriteEntry | undefined;
  info?: WriteEntry | undefined;
  warn?: WriteEntry | undefined;
  error?: WriteEntry | undefined;
}

export interface TradepostOptions {
  baseUrl: string;
  apiKey: string | (() => string | Promise<string>);
  timeout?: number | undefined;
  deadline?: number | undefined;
  maxRetries?: number | undefined;
  idempotency?: 'detect' | 'assume' | 'off' | undefined;
  maxResponseBytes?: number | undefined;
  defaultHeaders?: Record<string, string> | undefined;
  userAgent?: string | undefined;
  fetch?: Fetch | undefined;
  wait?: ((milliseconds: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  fetchOptions?: object | undefined;
  hooks?: TradepostHooks | undefined;
  logger?: TradepostLogger | undefined;
  validate?: ResponseValidator | undefined;
}

type Underscore<Type extends string> = Type extends `${infer Noun}.${infer Verb}`
  ? `${Noun}_${Verb}`
  : never;

export interface UnknownAccountEvent extends UnknownWebhookEvent {
  id: string;
  actor?: EventActor | null;
}

export interface UnknownWebhookEvent {
  event: Unrecognized;
  createdAt: string;
  data: Record<string, unknown>;
}

export declare enum Unrecognized {
  Value = '~unrecognized',
}

export interface UpdateOrderOptions extends RequestOptions {
  ifMatch?: string | undefined;
}

export type UpdatedNotification = Pick<Notification, 'id' | 'read'> & Partial<Notification>;

export type UpdatedOrder = Pick<Order, 'id' | 'status'> & Partial<Order>;

export declare class ValidationError extends TradepostError {
  readonly name: 'ValidationError';
  readonly errors: ProblemIssue[];
  constructor(message: string, details: TradepostErrorDetails);
}

export interface Webhook {
  id: string;
  url: string;
  events: (EventType | Other)[];
  status: WebhookStatus | Other;
  description: string | null;
  headerNames: string[];
  attemptsPerMinute: number | null;
  createdAt: string;
  updatedAt: string;
}

export interface WebhookCreateParams {
  url: string;
  events: readonly EventType[];
  description?: string | null | undefined;
  headers?: Record<string, string> | undefined;
  attemptsPerMinute?: number | null | undefined;
}

export interface WebhookDetails extends Webhook {
  stagedSecretAt: string | null;
  pendingDeliveries: number;
  consecutiveFailures: number;
  backoffUntil: string | null;
  lastStatus: number | null;
  lastError: string | null;
  failingSince: string | null;
  disabledAt: string | null;
}

export interface WebhookDisabledAccountEvent extends WebhookDisabledEvent {
  id: string;
  actor?: EventActor | null;
}

export interface WebhookDisabledData {
  webhookId: string;
  url: string;
  failingSince: string;
  disabledAt: string;
  lastStatus: number | null;
  lastError: string | null;
}

export interface WebhookDisabledEvent {
  event: 'webhook.disabled';
  createdAt: string;
  data: WebhookDisabledData;
}

export type WebhookEvent = KnownWebhookEvent | UnknownWebhookEvent;

export type WebhookExpansion = (typeof webhookExpansions)[number];

export interface WebhookExpansions {
  stats: DeliveryStats;
}

export interface WebhookListParams {
  expand?: WebhookExpansion | readonly WebhookExpansion[] | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface WebhookStats {
  webhookId: string;
  since: string;
  until: string;
  bucketSeconds: number;
  points: DeliveryStatsPoint[];
  totals: DeliveryStats;
}

export interface WebhookStatsParams {
  window?: StatsWindow | undefined;
}

export type WebhookStatus = (typeof webhookStatuses)[number];

export interface WebhookUpdateParams {
  url?: string | undefined;
  events?: readonly EventType[] | undefined;
  status?: WebhookStatus | undefined;
  description?: string | null | undefined;
  headers?: Record<string, string> | undefined;
  attemptsPerMinute?: number | null | undefined;
}

export declare class Webhooks {
  #private;
  create(params: WebhookCreateParams, options?: RequestOptions): ApiPromise<CreatedWebhook>;
  list<const Expand extends WebhookExpansion>(
    params: WebhookListParams & {
      expand: Expand | readonly Expand[];
    },
    options?: RequestOptions,
  ): PagePromise<ExpandedWebhook<Expand>>;
  list(params?: WebhookListParams, options?: RequestOptions): PagePromise<WebhookDetails>;
  get(id: string, options?: RequestOptions): ApiPromise<WebhookDetails>;
  stats(
    id: string,
    params?: WebhookStatsParams,
    options?: RequestOptions,
  ): ApiPromise<WebhookStats>;
  update(
    id: string,
    params: WebhookUpdateParams,
    options?: RequestOptions,
  ): ApiPromise<WebhookDetails>;
  delete(id: string, options?: RequestOptions): ApiPromise<void>;
  stageSecret(id: string, options?: RequestOptions): ApiPromise<StagedSecret>;
  promoteSecret(id: string, options?: RequestOptions): ApiPromise<WebhookDetails>;
  test(id: string, params: SendTestEventParams, options?: RequestOptions): ApiPromise<Delivery>;
  replayDeliveries(
    id: string,
    params: ReplayDeliveriesParams,
    options?: RequestOptions,
  ): ApiPromise<ReplayedDeliveries>;
  replayAll(
    id: string,
    params?: ReplayAllParams,
    options?: Omit<RequestOptions, 'idempotencyKey'>,
  ): AsyncIterableIterator<ReplayedDeliveries>;
}

type WriteEntry = {
  write(message: string, fields: object): void;
}['write'];

declare const accountKinds: readonly ['buyer', 'seller', 'agent'];

export declare const allEventTypes: readonly [
  'order.created',
  'order.status_changed',
  'task.approval_requested',
  'task.completed',
  'listing.availability_low',
  'webhook.disabled',
];

export declare function createSession(code: string, options: SessionOptions): ApiPromise<Session>;

export declare const deliveryStates: readonly ['pending', 'delivered', 'failed'];

export declare const eventTypes: readonly [
  'order.created',
  'order.status_changed',
  'task.approval_requested',
  'task.completed',
  'listing.availability_low',
];

export declare function exhaustive<Value>(value: Value & Handled<Value>): Value;

declare const extensions: readonly [
  'account',
  'deliveries',
  'deliveries.replays',
  'events',
  'events.actor',
  'keys',
  'notifications.filters',
  'notifications.read',
  'orders.count',
  'orders.etag',
  'orders.expand',
  'orders.filters',
  'orders.reason',
  'orders.sort',
  'orders.timeline',
  'paging',
  'partners',
  'sessions',
  'summary',
  'webhooks.disabling',
  'webhooks.manage',
  'webhooks.secrets',
  'webhooks.settings',
  'webhooks.stats',
  'webhooks.test',
];

export declare function isOneOf<const Known extends string>(
  known: readonly Known[],
  value: string,
): value is Known;

export declare function isTradepostError(value: unknown): value is AnyTradepostError;

declare const keyKinds: readonly ['key', 'session'];

export declare const maxReasonLength = 500;

export declare const orderCount: {
  readonly min: 1;
  readonly max: 100000;
};

declare const orderExpansions: readonly ['buyer', 'seller', 'agent', 'listing', 'etag'];

export declare const orderQuantity: {
  readonly min: 1;
  readonly max: 1000000;
};

declare const orderSorts: readonly ['-createdAt', 'createdAt', '-updatedAt', 'updatedAt'];

export declare const orderStatuses: readonly [
  'pending',
  'confirmed',
  'fulfilling',
  'completed',
  'cancelled',
];

export declare const orderTransitions: Readonly<Record<OrderStatus, readonly OrderStatus[]>>;

export declare const pageLimit: {
  readonly min: 1;
  readonly max: 100;
  readonly default: 50;
};

declare const problems: {
  readonly malformed_request: {
    readonly status: 400;
    readonly title: 'The request is malformed';
  };
  readonly malformed_json: {
    readonly status: 400;
    readonly title: 'The body is not valid JSON';
  };
  readonly invalid_cursor: {
    readonly status: 400;
    readonly title: 'The cursor is not valid';
  };
  readonly missing_api_key: {
    readonly status: 401;
    readonly title: 'The API key is missing';
  };
  readonly invalid_api_key: {
    readonly status: 401;
    readonly title: 'The API key is not valid';
  };
  readonly invalid_sign_in_code: {
    readonly status: 401;
    readonly title: 'The sign-in code is not valid';
  };
  readonly account_suspended: {
    readonly status: 403;
    readonly title: 'The account is suspended';
  };
  readonly account_kind_not_allowed: {
    readonly status: 403;
    readonly title: 'This kind of account is not allowed to do this';
  };
  readonly read_only_api_key: {
    readonly status: 403;
    readonly title: 'The API key is read-only';
  };
  readonly session_not_allowed: {
    readonly status: 403;
    readonly title: 'A session is not allowed to do this';
  };
  readonly route_not_found: {
    readonly status: 404;
    readonly title: 'Path not found';
  };
  readonly order_not_found: {
    readonly status: 404;
    readonly title: 'Order not found';
  };
  readonly notification_not_found: {
    readonly status: 404;
    readonly title: 'Notification not found';
  };
  readonly webhook_not_found: {
    readonly status: 404;
    readonly title: 'Webhook not found';
  };
  readonly delivery_not_found: {
    readonly status: 404;
    readonly title: 'Delivery not found';
  };
  readonly event_not_found: {
    readonly status: 404;
    readonly title: 'Event not found';
  };
  readonly key_not_found: {
    readonly status: 404;
    readonly title: 'API key not found';
  };
  readonly method_not_allowed: {
    readonly status: 405;
    readonly title: 'The path does not support this method';
  };
  readonly request_timeout: {
    readonly status: 408;
    readonly title: 'The request took too long to arrive';
  };
  readonly invalid_transition: {
    readonly status: 409;
    readonly title: 'The order cannot move to that status';
  };
  readonly insufficient_quantity: {
    readonly status: 409;
    readonly title: 'The listing does not have enough quantity left';
  };
  readonly webhook_limit_reached: {
    readonly status: 409;
    readonly title: 'The account has reached its webhook limit';
  };
  readonly webhook_deleted: {
    readonly status: 409;
    readonly title: 'The webhook and its secret were deleted';
  };
  readonly webhook_paused: {
    readonly status: 409;
    readonly title: 'The webhook is paused';
  };
  readonly no_staged_secret: {
    readonly status: 409;
    readonly title: 'The webhook has no staged secret';
  };
  readonly key_limit_reached: {
    readonly status: 409;
    readonly title: 'The account has reached its limit of API keys';
  };
  readonly delivery_in_progress: {
    readonly status: 409;
    readonly title: 'An attempt of the delivery is in flight';
  };
  readonly cursor_expired: {
    readonly status: 410;
    readonly title: 'Events after the cursor are no longer stored';
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
    readonly title: 'The content type is not application/json';
  };
  readonly validation_failed: {
    readonly status: 422;
    readonly title: 'The request is not valid';
  };
  readonly listing_not_found: {
    readonly status: 422;
    readonly title: 'Listing not found';
  };
  readonly idempotency_key_reused: {
    readonly status: 422;
    readonly title: 'The idempotency key was used for a different request';
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
  readonly overloaded: {
    readonly status: 503;
    readonly title: 'The service has too many requests to handle';
  };
  readonly shutting_down: {
    readonly status: 503;
    readonly title: 'The service is shutting down';
  };
  readonly store_unavailable: {
    readonly status: 503;
    readonly title: 'The store is not available';
  };
};

export declare function readText(response: ReadableResponse, maxBytes: number): Promise<string>;

export declare const statsWindows: readonly ['1h', '24h', '7d'];

export declare const statusClasses: readonly ['2xx', '3xx', '4xx', '5xx', 'none'];

declare const webhookExpansions: readonly ['stats'];

export declare const webhookLimits: {
  readonly description: {
    readonly min: 1;
    readonly max: 200;
  };
  readonly attemptsPerMinute: {
    readonly min: 1;
    readonly max: 60000;
  };
};

export declare const webhookStatuses: readonly ['active', 'paused'];
